"""A chain leads over those ways of statements that the option changes, as counts tell."""

from pathlib import Path
from typing import Any

from probe import counting
from probe.taint.instrument import install_names
from probe.taint.tracing import trace, traced
from tests.probe.chains import chains_of, lines
from tests.probe.programs import Programs, forget

WORDS = """
class Settings:
    pass

def run(options):
    words = " ".join(word for word in ("--wide", "--deep") if options[word[2:]]).split()
    settings = Settings()
    settings.wide = settings.deep = settings.edge = 0
    for word in words:
        if word == "--wide":
            settings.wide = 1
        elif word == "--deep":
            settings.deep = 1
    return shown(settings)

def shown(settings):
    if settings.deep:
        settings.edge = 2
    if settings.wide:
        settings.edge = 1
    return used(settings)

def used(settings):
    if settings.edge:
        return 1
"""


def test_a_chain_does_not_lead_over_a_way_that_is_taken_as_often_without_the_option(tmp_path: Path) -> None:
    """All words of a command line come through one loop: which setting an option changes is what counts tell."""
    options = {"wide": 1, "deep": 1}
    refuted = (
        ("program:run", "10:8:if", ("deep",)),
        ("program:run", "12:8:if", ("wide",)),
        ("program:shown", "17:4:if", ("wide",)),
        ("program:shown", "19:4:if", ("deep",)),
    )
    propagation = chains_of(tmp_path, WORDS, options, refuted=refuted)
    (chain,) = propagation.chains("wide", "program:used")
    assert lines(chain)[-4:] == [
        "if: if settings.wide:",
        "attribute: settings.edge = 1",
        "call: return used(settings)",
        "if: if settings.edge:",
    ]
    # What it wrote was written again before it was read.
    (chain,) = propagation.chains("deep", "program:used")
    assert lines(chain) == ["?", "if: if settings.edge:"]


WAYS = """
def run(options):
    one = options["one"]
    if one:
        a = one
    elif options["other"]:
        a = 0
    else:
        a = one
    for item in [one]:
        b = item
        if item: b = one
    while one:
        c = one
        one -= 1
        try:
            raise ValueError(c)
        except ValueError as error:
            d = options["one"]
    with open(__file__):
        e = options["one"]
    match options["one"]:
        case 1:
            f = options["one"]
    def inner():
        g = options["one"]
    inner()
"""


def test_the_way_that_a_step_stands_on_is_that_of_a_counter(tmp_path: Path) -> None:
    """By line, column and kind; what stands on none, or where nothing counts, has none."""
    install_names()
    forget()
    program = Programs(tmp_path).load(WAYS, rewritten=True)
    traced(program.run, {"one": 1, "other": 0})
    sites = trace(("one", "other"))["sites"]
    ways = {site["text"]: site["way"] for site in sites if site["kind"] == "assignment"}
    assert {text: way for text, way in ways.items() if "options" in text or "item" in text} == {
        'one = options["one"]': "",
        "for item in [one]:": "10:4:turn",
        "b = item": "10:4:turn",
        "if item: b = one": "12:8:if",
        'd = options["one"]': "18:8:except",
        'e = options["one"]': "",
        'f = options["one"]': "23:13:case",
        'g = options["one"]': "",
    }
    counting.clear()
    module = counting.compiled(WAYS.encode(), "ways", str(tmp_path / "ways.py"))
    names: dict[str, Any] = {"__name__": "ways", "__file__": __file__}
    exec(module, names)  # noqa: S102 -- the program of this test
    names["run"]({"one": 1, "other": 0})
    counted = {
        f"{line}:{column}:{kind}"
        for rows in counting.counted()["regions"].values()
        for line, column, kind, _ in rows
    }
    assert {way for way in ways.values() if way} <= counted


CALLED_BY_THE_INTERPRETER = """
class Word:
    def __init__(self, text, deep):
        self.text = text
        self.deep = deep

    def __hash__(self):
        if self.deep:
            return hash(self.text)
        return 0

def run(options):
    deep = options["deep"]
    wide = options["wide"]
    return {Word("a", deep), Word("b", wide)}
"""


def test_a_function_that_the_interpreter_calls_is_not_where_an_option_is_read(tmp_path: Path) -> None:
    """No line of the program calls it, as none calls the entry."""
    (chain,) = chains_of(tmp_path, CALLED_BY_THE_INTERPRETER, {"wide": 1, "deep": 0, "other": 1}).chains(
        "wide", "program:Word.__hash__"
    )
    assert lines(chain) == [
        'assignment: wide = options["wide"]',
        'call: return {Word("a", deep), Word("b", wide)}',
        "attribute: self.deep = deep",
        "if: if self.deep:",
    ]
