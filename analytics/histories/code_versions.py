"""Code versions: consecutive revisions of an order that hold the same code, and so share their measurements.

Nothing can change inside of one, and a measurement of one of its revisions holds for all. A version's position is the
position of its first revision, less the revisions before it that brought no code of their own.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.histories.change_prior import ChangePrior, share_measurements
from analytics.histories.measurements import FloatArray, IntArray, Measurements

Bracket = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class CodeVersions:
    """The code versions of an order. Where no code is known, every revision is a version at its own position.

    `version_at` gives the version of each position, `revisions_of` the first and the last position of each version.
    `groups` numbers the codes that several versions hold, as after an exact revert. `changed_lines` (n - 1,) are those
    of the step from each version to the next, NaN where unknown.
    """

    version_at: Mapping[int, int]
    revisions_of: Mapping[int, Bracket]
    groups: Mapping[int, int]
    changed_lines: FloatArray

    @property
    def length(self) -> int:
        """The number of versions."""
        return len(self.revisions_of)

    # Most series of a benchmark's environment have the same siblings.
    @lru_cache(maxsize=16)  # noqa: B019 -- orders are kept, too
    def change_prior(self, brackets: tuple[Bracket, ...] = ()) -> ChangePrior | None:
        """Return the prior weight of a change at each step: by changed lines, and in `brackets` of versions; kept.

        None where nothing is known of either.
        """
        if not len(self.changed_lines) or (np.isnan(self.changed_lines).all() and not brackets):
            return None
        return ChangePrior.of_changes(min(self.revisions_of), self.changed_lines, brackets)

    @lru_cache(maxsize=4)  # noqa: B019 -- orders are kept, too
    def places(self) -> IntArray:
        """Return the versions in order; kept."""
        return np.array(list(self.revisions_of), dtype=np.int64)

    @lru_cache(maxsize=4)  # noqa: B019 -- as above
    def by_position(self) -> tuple[IntArray, IntArray]:
        """Return all positions of the order, and their versions, (n,) each; kept."""
        at = sorted(self.version_at.items())
        return np.array([one for one, _ in at], dtype=np.int64), np.array([one for _, one in at], np.int64)

    @property
    @lru_cache(maxsize=4)  # noqa: B019 -- as above
    def is_plain(self) -> bool:
        """Whether every revision is a version at its own position; kept."""
        return all(position == version for position, version in self.version_at.items())

    def versions_at(self, positions: IntArray) -> IntArray:
        """Return the version of each of these positions of the order, same shape."""
        if self.is_plain:
            return positions
        known, versions = self.by_position()
        return np.asarray(versions[np.searchsorted(known, positions)])

    def by_version(self, measurements: Measurements) -> Measurements:
        """Return the measurements by version instead of position, at every version whose code they measured."""
        merged = measurements
        if not self.is_plain:
            versions = self.versions_at(measurements.positions)
            is_same = np.array_equal(versions, measurements.positions)
            merged = measurements if is_same else measurements.moved(versions.tolist())
        return share_measurements(merged, self.groups) if self.groups else merged

    def between(self, bracket: Bracket) -> Bracket:
        """Return the closest positions around a step between two versions: last before, first after it."""
        return self.revisions_of[bracket[0]][1], self.revisions_of[bracket[1]][0]

    def unmeasured(self, positions: Iterable[int], done: Collection[int]) -> dict[int, int]:
        """Return the versions of these positions whose code no version in `done` holds, with their first position.

        Of several versions that hold the same code the first one stands for all.
        """
        seen = {self.groups[version] for version in done if version in self.groups}
        found: dict[int, int] = {}
        for position in positions:
            version = self.version_at[position]
            group = self.groups.get(version)
            if version in done or version in found or group in seen:
                continue
            found[version] = position
            if group is not None:
                seen.add(group)
        return found


@lru_cache(maxsize=16)
def code_versions(
    positions: tuple[int, ...], contents: tuple[str, ...], changed_lines: tuple[int | None, ...]
) -> CodeVersions:
    """Return the versions of the revisions at increasing positions, by their contents ("": not known). Cached."""
    version_at: dict[int, int] = {}
    revisions_of: dict[int, Bracket] = {}
    holders: dict[str, list[int]] = {}
    steps: list[FloatArray] = []
    version = previous = positions[0] if positions else 0
    before = ""
    for position, content, lines in zip(positions, contents, changed_lines, strict=True):
        is_new = not revisions_of or not content or content != before
        if is_new and revisions_of:
            apart = position - previous
            version += apart
            # What changed since the revision before is spread over the positions in between, whatever stands there.
            steps.append(np.full(apart, np.nan if lines is None else lines / apart))
        version_at[position] = version
        revisions_of[version] = (position if is_new else revisions_of[version][0], position)
        if is_new and content:
            holders.setdefault(content, []).append(version)
        previous, before = position, content
    several = [versions for versions in holders.values() if len(versions) > 1]
    return CodeVersions(
        version_at=version_at,
        revisions_of=revisions_of,
        groups={version: group for group, versions in enumerate(several) for version in versions},
        changed_lines=np.concatenate(steps) if steps else np.zeros(0),
    )
