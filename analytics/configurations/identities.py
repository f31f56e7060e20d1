"""How one configuration is told from another where it is written: its stored identity, and its word in selections."""

import hashlib
import json
from collections.abc import Mapping


def configuration_identity(assignment: Mapping[str, str]) -> str:
    """The identity of a configuration, from what differs from the reference configuration.

    `assignment` maps option names to level labels, reference levels left out. A new option therefore leaves the
    identity of old configurations intact.
    """
    return digest_of(dict(sorted(assignment.items())))


def selector_of(labels: Mapping[str, str]) -> str:
    """A configuration as a word of a selection, "a=on,b=off", in the order of `labels`."""
    return ",".join(f"{name}={label}" for name, label in labels.items())


def digest_of(value: object) -> str:
    """SHA-256 of `value` as compact JSON."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
