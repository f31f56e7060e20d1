"""What single runs of a white-box analysis showed: the runs, the places that options were seen at, evidence of counts."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, NonNegativeInt, Strict

# The label of the level of each option that is mentioned.
Labels = dict[str, str]
Names = tuple[str, ...]
# "branch" is the nth way out of a line of a native program, with n as its column; "instruction" what a machine did there.
CountKind = Literal["call", "if", "else", "turn", "case", "except", "branch", "instruction"]

# Approaches that came before following taints and counts, by the words for them: "reads" is SPLat (see `option_reads`), "static"
# ConfigCrusher (see `static_reach`).
OlderApproach = Literal["reads", "static"]
OLDER_APPROACHES: tuple[OlderApproach, ...] = get_args(OlderApproach)

# The kinds of sites that decide nothing: a call that passes arguments, and a function that was entered.
CALL, ENTRY = "call", "entry"
# The kinds of decisions whose ways are counted.
COUNTED_DECISIONS = frozenset({"if", "for", "while"})


def renamed(name: str, earlier: str) -> AliasChoices:
    """The names of a field that earlier releases wrote under another one."""
    return AliasChoices(name, earlier)


class Part(BaseModel):
    """What all parts of a stored analysis have in common: they are frozen and read strictly."""

    # What later releases add is kept as it is.
    model_config = ConfigDict(
        frozen=True, strict=True, extra="allow", allow_inf_nan=False, validate_by_name=True
    )


class AnalysisRun(Part):
    """One run of an analysis, traced or counted, of the configuration `levels`.

    `place` is where it failed, `seconds` what the process took. `output_digest` is of what it printed and returned,
    empty where it failed; `returned` tells whether what it returned is a part of that. `reads` are the options that it read, in
    order; None where that was not noted. `children_share` is the share of the run's CPU time in processes that it started.
    `uncounted` are the shares of its own that lie in code without counters, by where, "" for all further places; None where that
    was not found out.
    """

    levels: Labels
    status: str
    message: str
    place: str
    seconds: float | None
    output_digest: str = Field(default="", validation_alias=renamed("output_digest", "said"))
    returned: bool = False
    reads: Names | None = None
    children_share: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    uncounted: dict[str, Annotated[float, Field(ge=0.0, le=1.0)]] | None = None

    @property
    def succeeded(self) -> bool:
        """Whether it ran to its end."""
        return self.status == "ok"

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """What equal configurations have in common."""
        return tuple(sorted(self.levels.items()))


@dataclass(frozen=True, slots=True)
class StepFlow:
    """What came to a step, in a function that was `called` by this line: `options`, from the step at `place` in a function that was called by the line `caller`.

    `calls` are the places that called one another from the one function to the other. A blank `place` is none: it came from outside
    the program. `decided`: it is the decision that led there, not the value.
    """

    # Else a dictionary is none where others are read strictly.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=False)

    called: str
    place: str
    caller: str
    options: Names
    calls: Names = ()
    decided: Annotated[bool, Strict()] = False


class TaintedSite(Part):
    """A place in the source that options were seen at, joined over all traced runs.

    `kind`: assignment, attribute, item, return, call, entry, or that of a decision. `writes` is what it gives the
    taint to: `function:name` for a local, `.name` for an attribute, `name()` for a function's result, empty for
    decisions. `reads`: names, `.name`, `name()` and `['key']` of the expression. `data` are the options that were seen
    in the value, `control` those that were seen in a decision that led there. `until` is the last line that a decision has
    a say in, 0 where an earlier release did not note it. `way` is the innermost way of a statement that it stands on, by the
    "line:column:kind" of its counter; empty where nothing counts it, or an earlier release did not note it. `earlier` is
    where an earlier release wrote the links to it: a result that was read has them in its `flows`, and here are none.
    """

    region: str
    file: str
    line: int
    column: int
    kind: str
    text: str
    writes: str
    reads: Names
    data: Names
    control: Names = ()
    until: int = 0
    way: str = ""
    earlier: Annotated[tuple[StepFlow, ...], Field(exclude=True)] = ()

    @property
    def place(self) -> str:
        """What names it in other steps."""
        return f"{self.region} {self.line}:{self.column}:{self.kind}"

    @property
    def decides(self) -> bool:
        """Whether it is a decision."""
        return not self.writes

    @property
    def module(self) -> str:
        """The module that it stands in."""
        return self.region.partition(":")[0]

    @property
    def class_name(self) -> str:
        """The class, or the function, that it stands in, with its module."""
        return self.region.rpartition(".")[0] if "." in self.region.rpartition(":")[2] else self.region

    @property
    def written_place(self) -> tuple[str, str]:
        """What it writes: whose name it is, and the name; nobody's if it is an attribute of anything."""
        owner, _, name = self.writes.rpartition(":")
        return "" if name.startswith(".") else owner if owner == self.module else self.region, name

    @property
    def key(self) -> tuple[Any, ...]:
        """What sites of different runs that are one have in common: everything but the options."""
        return self.region, self.file, self.line, self.column, self.kind, self.text, self.writes, self.reads

    def joined(self, other: "TaintedSite") -> "TaintedSite":
        """The site with what another run showed of it, too."""
        shown = {
            "data": tuple(sorted({*self.data, *other.data})),
            "control": tuple(sorted({*self.control, *other.control})),
        }
        # Most sites show what they have shown before.
        return (
            self
            if all(getattr(self, name) == value for name, value in shown.items())
            else self.model_copy(update=shown)
        )


class CountedEffect(Part):
    """What counts prove of an option and a region: `moved` is the most that the region's counts differ, added up, between two runs that differ in this option alone, `differing` how many such pairs of runs differ at all."""

    region: str
    option: str
    moved: int
    differing: int


class CheckedPairs(Part):
    """The pairs of a function and an option that an analysis claims, held against the counts of all configurations over `options`.

    An option truly matters to a function if two of these `configurations` that differ in it alone count differently there, the other
    options at their reference: so it is with `true` of the pairs of `functions` and options. `claimed` are told, `right` of them are
    true; of these counts have proved `proved`, of which `proved_right` are true; taints alone claim `tainted`, of which
    `tainted_right` are true.
    """

    options: Names
    configurations: NonNegativeInt
    functions: NonNegativeInt
    true: NonNegativeInt
    claimed: NonNegativeInt
    right: NonNegativeInt
    proved: NonNegativeInt
    proved_right: NonNegativeInt
    tainted: NonNegativeInt
    tainted_right: NonNegativeInt

    @property
    def base_rate(self) -> float:
        """The precision of claiming each option of each function."""
        pairs = self.functions * len(self.options)
        return self.true / pairs if pairs else 0.0

    @property
    def precision(self) -> float:
        """The share of the claims that are true; 1 where nothing is claimed."""
        return self.right / self.claimed if self.claimed else 1.0

    @property
    def recall(self) -> float:
        """The share of the true pairs that are claimed; 1 where none is true."""
        return self.right / self.true if self.true else 1.0


class DependencyEvidence(Part):
    """Two runs whose counts of one statement differ, although they agree in the options that it depends on so far.

    `options` are those in which the runs differ: the statement depends on at least one of them. `known` are the
    options that it is known to depend on, those added by counts too. `counts` and `levels` are of the two runs.
    """

    region: str
    line: int
    column: int
    kind: CountKind
    options: Names
    known: Names
    counts: tuple[int, int]
    levels: tuple[Labels, Labels]


def names_of(option: str, source: str) -> frozenset[str]:
    """The names under which a program reads an option: the key and attribute of its own name, and those of its source.

    A parameter has the function, "module:function", before its name.
    """
    kind, _, name = source.partition(":")
    attribute = name.rpartition(":")[2].rpartition(".")[2]
    named = {
        "environment": {f"[{name!r}]"},
        "argument": {f".{name}"},
        "attribute": {f".{attribute}"},
        "parameter": {name},
    }
    return frozenset({f"[{option!r}]", f".{option}"} | named.get(kind, set()))
