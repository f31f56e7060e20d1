"""Chains are of links that were seen: each step got its value, or was led to, from the one before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics.whitebox.propagation import Propagation
from probe.taint.flows import FLOWS
from probe.taint.instrument import install_names
from probe.taint.sources import name_sources
from probe.taint.tracing import trace, traced
from tests.probe.chains import chains_of, lines
from tests.probe.programs import Programs, forget


@pytest.fixture(autouse=True)
def noted() -> Iterator[None]:
    """What values come from is noted in this process until the test ends."""
    install_names()
    forget()
    yield
    forget()
    name_sources({}, {})


def chain(found: Propagation, option: str, region: str) -> list[str]:
    return lines(found.chains(option, f"program:{region}")[0])


SAME_NAME = """
class First:
    def __init__(self, mode):
        self.mode = mode
class Second:
    def __init__(self, mode):
        self.mode = mode
    def used(self):
        if self.mode:
            return 1
def run(options):
    first = First(options["a"])
    mode = options["a"] * 2
    return Second(mode).used()
"""


def test_a_chain_goes_by_the_attribute_of_the_object_that_was_read(tmp_path: Path) -> None:
    assert chain(chains_of(tmp_path, SAME_NAME, {"a": 1}), "a", "Second.used") == [
        'assignment: mode = options["a"] * 2',
        "call: return Second(mode).used()",
        "attribute: self.mode = mode",
        "if: if self.mode:",
    ]


AGAIN = """
def run(options):
    size = options["a"]
    size = size + 1
    if size:
        return 1
"""


def test_a_chain_goes_by_the_value_that_a_name_had_then(tmp_path: Path) -> None:
    assert chain(chains_of(tmp_path, AGAIN, {"a": 1}), "a", "run") == [
        'assignment: size = options["a"]',
        "assignment: size = size + 1",
        "if: if size:",
    ]


ATTRIBUTES = """
class Settings:
    pass
def run(options):
    chosen = {name: value for name, value in options.items() if value}
    settings = Settings()
    for name, value in chosen.items():
        setattr(settings, name, value)
    return used(settings)
def used(settings):
    if settings.a:
        return 1
"""


def test_a_chain_goes_through_names_that_only_the_run_knows(tmp_path: Path) -> None:
    found = chain(chains_of(tmp_path, ATTRIBUTES, {"a": 1}), "a", "used")
    assert found[0].startswith("comprehension")
    assert found[2:] == [
        "call: setattr(settings, name, value)",
        "call: return used(settings)",
        "if: if settings.a:",
    ]


CALLERS = """
def each(rules):
    for rule in rules:
        rule()
def first():
    each([second])
def second():
    each([third])
def third():
    pass
def run(options):
    if options["a"]:
        first()
"""


def test_a_chain_goes_by_the_calls_that_were_on_the_stack(tmp_path: Path) -> None:
    assert chain(chains_of(tmp_path, CALLERS, {"a": 1}), "a", "third") == [
        'if: if options["a"]:',
        "call: first()",
        "call: each([second])",
        "call: rule()",
        "call: each([third])",
        "call: rule()",
        "entry: def third():",
    ]


RESULTS = """
KEPT = {}
def get(name):
    return KEPT[name]
def other():
    return get("a")
def used():
    value = get("a")
    if value:
        return 1
def run(options):
    KEPT["a"] = options["a"]
    return other(), used()
"""


def test_a_result_comes_by_the_call_that_got_it(tmp_path: Path) -> None:
    found = chain(chains_of(tmp_path, RESULTS, {"a": 1}), "a", "used")
    assert found[0] == 'item: KEPT["a"] = options["a"]'
    assert found[-3:] == ["return: return KEPT[name]", 'assignment: value = get("a")', "if: if value:"]
    assert 'call: return get("a")' not in found


BEFORE = """
KEPT = []
def run(options):
    if not KEPT:
        kept = options["a"]
        KEPT.append(kept)
    return used()
def used():
    if KEPT[0]:
        return 1
"""


def test_what_was_kept_before_the_traced_call_has_its_steps(tmp_path: Path) -> None:
    found = chain(chains_of(tmp_path, BEFORE, {"a": 1}, warm=True), "a", "used")
    assert 'assignment: kept = options["a"]' in found
    assert "call: KEPT.append(kept)" in found


def test_a_step_that_a_call_before_went_through_is_told_again(tmp_path: Path) -> None:
    once = chain(chains_of(tmp_path, SAME_NAME, {"a": 1}), "a", "Second.used")
    forget()
    again = chain(chains_of(tmp_path, SAME_NAME, {"a": 1}, warm=True), "a", "Second.used")
    assert once == again


TOGETHER = """
def joined(first, second):
    made = [first, second][first]
    if made:
        return made
def run(options):
    both = joined(options["a"], options["b"])
    alone = joined(1, options["b"])
    if alone:
        return 1
"""


def test_options_that_come_through_a_step_together_and_one_that_comes_alone_are_told_apart(
    tmp_path: Path,
) -> None:
    found = chains_of(tmp_path, TOGETHER, {"a": 1, "b": 1})
    assert 'call: alone = joined(1, options["b"])' in chain(found, "b", "run")
    assert found.chains("a", "program:run") == ()
    assert 'call: both = joined(options["a"], options["b"])' in chain(found, "a", "joined")


def test_an_option_with_a_source_of_its_own_is_not_read_where_the_entry_gets_it(tmp_path: Path) -> None:
    text = 'def run(options):\n    words = options["a"]\n    if words:\n        return 1\n'
    found = chains_of(tmp_path, text, {"a": 1}, sources={"a": "environment:NEVER_READ"})
    assert chain(found, "a", "run")[0] == "?"


def test_taints_are_the_same_as_without_the_steps(tmp_path: Path) -> None:
    def decided(count: int) -> Any:
        forget()
        if count:
            FLOWS.begin(count)
        program = Programs(tmp_path).load(SAME_NAME, rewritten=True)
        traced(program.run, {"a": 1})
        made = trace(("a",))
        lines = [(made["sites"][site]["line"], data, control) for site, data, control in made["decisions"]]
        # What calls give is noted with the steps alone.
        noted = ((made["sites"][site], taint) for site, taint in made["steps"])
        steps = [(site["line"], taint) for site, taint in noted if site["kind"] != "call"]
        return lines, steps, made["read"]

    assert decided(0) == decided(1)


IN_TURN = """
KEPT = {}
def values():
    while True:
        value = KEPT["now"]
        yield value
def first(made):
    value = next(made)
    if value:
        return 1
def second(made):
    value = next(made)
    if value:
        return 1
def run(options):
    made = values()
    for _ in range(2):
        KEPT["now"] = options["a"]
        first(made)
        other = options["a"] + 1
        KEPT["now"] = other
        second(made)
"""


def test_what_one_caller_was_given_does_not_come_by_what_the_other_gave(tmp_path: Path) -> None:
    found = chains_of(tmp_path, IN_TURN, {"a": 1})
    assert _given(chain(found, "a", "first")) == ['item: KEPT["now"] = options["a"]']
    assert _given(chain(found, "a", "second")) == [
        'assignment: other = options["a"] + 1',
        'item: KEPT["now"] = other',
    ]


def _given(steps: list[str]) -> list[str]:
    """The steps before the generator gets the value."""
    return [step for step in steps[: steps.index('assignment: value = KEPT["now"]')] if "call" not in step]
