"""What an analysis did not follow: modules that ran as they are, and calls."""

from collections.abc import Mapping

# What the probe calls a module that is not rewritten, with its name and the reason after it.
LEFT_ALONE = "module: "


def left_alone(unfollowed: Mapping[str, int]) -> list[str]:
    """The modules of the subject's regions that were not rewritten: "module: NAME (REASON)"."""
    return [name for name in unfollowed if name.startswith(LEFT_ALONE)]
