"""The chain from where an option is read to the decision it has a say in, from a traced program."""

from pathlib import Path

from analytics.whitebox.propagation import Propagation
from analytics.whitebox.result import TaintedSite
from probe.taint.instrument import install_names
from probe.taint.tracing import trace, traced
from tests.probe.programs import Programs, forget

TEXT = """
class Parser:
    def __init__(self, strict):
        self.strict = strict

    def parse(self, text):
        limit = self.limit()
        while limit > 0:
            limit -= 1
        return text

    def limit(self):
        return self.strict * 3

def used(text):
    if text:
        return 1

def run(options):
    flag = options["strict"]
    other = options["other"]
    parser = Parser(flag)
    if other:
        used("x")
    return parser.parse("abc")
"""


def traced_steps(tmp_path: Path) -> Propagation:
    return steps_of(tmp_path, TEXT, {"strict": 1, "other": 1, "unread": 1})


def steps_of(tmp_path: Path, text: str, options: dict[str, int]) -> Propagation:
    install_names()
    forget()
    program = Programs(tmp_path).load(text, rewritten=True)
    traced(program.run, options)
    made = trace(tuple(options))

    def names(taint: int) -> tuple[str, ...]:
        return tuple(name for at, name in enumerate(options) if taint >> at & 1)

    def step(site: int, data: int, control: int = 0) -> TaintedSite:
        at = made["sites"][site]
        fields = {key: at[key] for key in ("region", "file", "line", "column", "kind", "text", "writes")}
        return TaintedSite(**fields, reads=tuple(at["reads"]), data=names(data), control=names(control))

    calls = [step(at, 7) for at, site in enumerate(made["sites"]) if site["kind"] == "call"]
    return Propagation(
        (
            *calls,
            *(step(site, taint) for site, taint in made["steps"]),
            *(step(*decision) for decision in made["decisions"]),
        ),
        {(function, name): frozenset(names(taint)) for function, name, taint in made["arguments"]},
    )


def lines(chain: tuple[TaintedSite, ...]) -> list[str]:
    return [f"{step.kind}: {step.text}" for step in chain]


def test_a_chain_leads_through_assignments_calls_and_attributes(tmp_path: Path) -> None:
    (chain,) = traced_steps(tmp_path).chains("strict", "program:Parser.parse")
    assert lines(chain) == [
        'assignment: flag = options["strict"]',
        "call: parser = Parser(flag)",
        "attribute: self.strict = strict",
        "return: return self.strict * 3",
        "assignment: limit = self.limit()",
        "while: while limit > 0:",
    ]


def test_a_region_that_is_only_called_under_a_decision_shows_that_decision(tmp_path: Path) -> None:
    (chain,) = traced_steps(tmp_path).chains("other", "program:used")
    assert lines(chain) == ['assignment: other = options["other"]', "if: if other:", "if: if text:"]


KEYWORDS = """
def repeated(text, *, times=1):
    for _ in range(times):
        text += text
    return text

def run(options):
    return repeated("a", times=2 if options["twice"] else 1)
"""


def test_a_chain_leads_through_an_argument_that_is_given_by_name_only(tmp_path: Path) -> None:
    (chain,) = steps_of(tmp_path, KEYWORDS, {"twice": 1}).chains("twice", "program:repeated")
    assert lines(chain) == [
        'call: return repeated("a", times=2 if options["twice"] else 1)',
        "for: for _ in range(times):",
    ]


def test_an_option_that_reaches_no_decision_of_a_region_has_no_chain(tmp_path: Path) -> None:
    propagation = traced_steps(tmp_path)
    for option in ("other", "unread"):
        assert propagation.chains(option, "program:Parser.parse") == ()
