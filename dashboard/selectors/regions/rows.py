"""What the selectors of regions hand out: frozen rows, and which of many are shown. Free of Django."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dashboard.selectors.model_rows import ChosenConfiguration, Estimate, ModelIdentity, TermRow
from dashboard.selectors.whitebox.rows import RegionAnalysis

HOTSPOTS = "hotspots"
OPTION_HOTSPOTS = "options"


@dataclass(frozen=True, slots=True)
class RegionRow:
    """One line of the list of regions.

    `time` is what it takes at the base, `share` its fraction of the base's total, `target_time` what it takes at
    the configuration that is compared with. `largest` is its largest term that is surely not zero, None where none is.
    `versions` counts its bodies that differ over the revisions. `reached` are the options that get to its decisions,
    `partitions` its subspaces as formulas: by an analysis, several where that split it by pairs of options, or as imported; empty
    where neither is known. `between` is what it
    takes more at the configuration that is compared with, and `taken` the time at the base, both with their intervals.
    """

    key: str
    name: str
    package: str
    file: str
    is_program: bool
    time: float
    share: float | None
    target_time: float | None
    largest: TermRow | None
    options: tuple[str, ...]
    subspaces: int
    versions: int
    reached: tuple[str, ...] = ()
    partitions: tuple[tuple[str, ...], ...] = ()
    between: Estimate | None = None
    taken: Estimate | None = None

    @property
    def difference(self) -> float | None:
        """What it takes more at the configuration that is compared with."""
        return None if self.target_time is None else self.target_time - self.time

    @property
    def only_in(self) -> str:
        """Where it runs, if only at one of the two configurations."""
        if self.target_time is None or (self.time > 0) == (self.target_time > 0):
            return ""
        return "only in the base" if self.time > 0 else "only compared"

    @property
    def change(self) -> float:
        """The size of its largest term; 0 where there is none."""
        return 0.0 if self.largest is None else abs(self.largest.influence.value)


@dataclass(frozen=True, slots=True)
class RegionList:
    """All regions of an analysis relative to one base configuration, in the order of their time."""

    model: ModelIdentity
    base: ChosenConfiguration
    base_time: Estimate
    target: ChosenConfiguration | None
    regions: tuple[RegionRow, ...]

    @property
    def measured(self) -> tuple[RegionRow, ...]:
        """The measured regions: all rows but that of the program region."""
        return tuple(row for row in self.regions if not row.is_program)


def filtered(
    regions: Sequence[RegionRow], *, kind: str = HOTSPOTS, option: str = "", text: str = "", reached: str = ""
) -> tuple[RegionRow, ...]:
    """Those of `regions` whose time `option` changes, that the option `reached` reaches, and with the words of `text`.

    Hotspots take time at the base, the longest first. Option hotspots are those whose time the options change,
    the most changed first; repetitions must tell the change from zero.
    """
    words = text.lower().split()
    passing = [
        region
        for region in regions
        if (not option or option in region.options)
        and (not reached or reached in region.reached)
        and all(word in f"{region.package} {region.name} {region.file}".lower() for word in words)
    ]
    if kind == OPTION_HOTSPOTS:
        return tuple(
            sorted((one for one in passing if one.change > 0), key=lambda one: one.change, reverse=True)
        )
    return tuple(sorted(passing, key=lambda one: one.time, reverse=True))


@dataclass(frozen=True, slots=True)
class Repetition:
    """What one run of one configuration took in a region."""

    configuration: str
    repetition: int
    time: float


@dataclass(frozen=True, slots=True)
class SubspaceRow:
    """One subspace of a region in words and what was measured there.

    `time` is what the model takes for it, without partitions the median of its configurations; None where no measured
    configuration lies inside. `holds_base` tells whether the base configuration does. `formula` is how partitions write it.
    """

    words: str
    time: float | None
    repetitions: tuple[Repetition, ...]
    configurations: int
    holds_base: bool
    formula: str = ""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of source; `time` is what was spent in it at the shown configuration, None where nothing was seen."""

    number: int
    text: str
    time: float | None
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A region as it stands in one revision; `changed` tells that its body differs from the one before."""

    revision: str
    file: str
    first_line: int
    last_line: int
    changed: bool
    has_source: bool


@dataclass(frozen=True, slots=True)
class RegionSource:
    """The source of a region in one revision, with the time of its lines in `configuration`."""

    version: VersionRow
    lines: tuple[SourceLine, ...]
    configuration: ChosenConfiguration
    licence: str


@dataclass(frozen=True, slots=True)
class RegionDetail:
    """Everything that the page of one region shows; `source` is None where the data hold none.

    `options` are those that change its time. Subspaces stand in the order of their time, largest first. `traced` is
    what the newest analysis of this revision saw of it, None where there is none, and `formula_times` what was measured in
    the subspaces of its partitions, by formula.
    """

    model: ModelIdentity
    base: ChosenConfiguration
    key: str
    name: str
    is_program: bool
    time: Estimate
    share: float | None
    terms: tuple[TermRow, ...]
    options: tuple[str, ...]
    subspaces: tuple[SubspaceRow, ...]
    versions: tuple[VersionRow, ...]
    source: RegionSource | None
    traced: RegionAnalysis | None = None
    formula_times: Mapping[str, float] = field(default_factory=dict)

    @property
    def times_of_formulas(self) -> dict[str, float | None]:
        """What was measured in a subspace, by its formula: of those of the model and those of the analysis."""
        return {row.formula: row.time for row in self.subspaces} | dict(self.formula_times)
