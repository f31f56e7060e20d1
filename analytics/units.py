"""Units of time."""

from collections.abc import Mapping

# Seconds in each, by the names that people and files give them; a micro sign and a Greek mu look alike.
SECONDS: Mapping[str, float] = {
    "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9,
    "min": 60.0, "h": 3600.0,
}  # fmt: skip
