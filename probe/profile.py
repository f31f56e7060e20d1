"""A profile of one call: self time per region, with the functions' source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .functions import SourceFile

if TYPE_CHECKING:
    from typing import Any

    from .selftime import StackSamples


def profile(samples: StackSamples) -> dict[str, Any]:
    """Return `samples` as plain JSON values: seconds per region and line, and the regions' functions.

    Self times of all regions and `program_seconds` sum to `cpu_seconds`.
    """
    files: dict[tuple[str, str], SourceFile] = {}
    regions: dict[str, dict[str, float]] = {}
    functions: dict[str, dict[str, Any]] = {}
    for sample in samples.samples:
        place = (sample.module, sample.code.co_filename)
        if place not in files:
            files[place] = SourceFile(*place)
        # Python 3.11 and newer know the qualified name.
        name = getattr(sample.code, "co_qualname", sample.code.co_name)
        function = files[place].function_at(sample.code.co_firstlineno, name)
        functions[function.key] = vars(function)
        lines = regions.setdefault(function.key, {})
        lines[str(sample.line)] = lines.get(str(sample.line), 0.0) + sample.seconds
    inside = sum(sum(lines.values()) for lines in regions.values())
    return {
        "wall_seconds": samples.wall_seconds,
        "cpu_seconds": samples.cpu_seconds,
        "sampling_seconds": samples.sampling_seconds,
        "ticks": samples.ticks,
        "program_seconds": max(0.0, samples.cpu_seconds - inside),
        "regions": {key: {"seconds": sum(lines.values()), "lines": lines} for key, lines in regions.items()},
        "functions": functions,
    }
