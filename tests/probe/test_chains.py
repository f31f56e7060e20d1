"""The chain from where an option is read to the decision it has a say in, from a traced program."""

from pathlib import Path

from analytics.whitebox.propagation import Propagation
from tests.probe.chains import chains_of, lines

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
    return chains_of(tmp_path, TEXT, {"strict": 1, "other": 1, "unread": 1})


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
    assert lines(chain) == [
        'assignment: other = options["other"]',
        "if: if other:",
        'call: used("x")',
        "if: if text:",
    ]


KEYWORDS = """
def repeated(text, *, times=1):
    for _ in range(times):
        text += text
    return text

def run(options):
    return repeated("a", times=2 if options["twice"] else 1)
"""


def test_a_chain_leads_through_an_argument_that_is_given_by_name_only(tmp_path: Path) -> None:
    (chain,) = chains_of(tmp_path, KEYWORDS, {"twice": 1}).chains("twice", "program:repeated")
    assert lines(chain) == [
        'ternary: return repeated("a", times=2 if options["twice"] else 1)',
        'call: return repeated("a", times=2 if options["twice"] else 1)',
        "for: for _ in range(times):",
    ]


def test_an_option_that_reaches_no_decision_of_a_region_has_no_chain(tmp_path: Path) -> None:
    propagation = traced_steps(tmp_path)
    for option in ("other", "unread"):
        assert propagation.chains(option, "program:Parser.parse") == ()


COMMAND_LINE = """
import argparse
class Converter:
    def __init__(self):
        self.wide = False
        self.deep = 0
    def convert(self):
        if self.wide:
            self.deep += 1
        return 1 if self.deep else 0
def run(options):
    parser = argparse.ArgumentParser()
    parser.add_argument("--broad", dest="wide", action="store_true")
    args = parser.parse_args(["--broad"])
    converter = Converter()
    converter.wide = args.wide
    return converter.convert()
"""


def test_a_chain_begins_where_an_argument_is_taken_also_if_an_attribute_of_its_name_keeps_it(
    tmp_path: Path,
) -> None:
    steps = chains_of(tmp_path, COMMAND_LINE, {"broad": 1}, sources={"broad": "argument:wide"})
    ends = [lines(chain) for chain in steps.chains("broad", "program:Converter.convert")]
    begin = ["attribute: converter.wide = args.wide", "call: return converter.convert()", "if: if self.wide:"]
    assert ends == [begin, [*begin, "attribute: self.deep += 1", "ternary: return 1 if self.deep else 0"]]


THROUGH_CALLERS = """
class Parser:
    def __init__(self, strict, fast):
        self.strict = strict
        if fast:
            self.mode = "fast"
        else:
            self.mode = "slow"

    def parse(self, words):
        if not self.strict:
            return None
        return self.checked(words)

    def checked(self, words):
        return [self.word(one) for one in words]

    def word(self, one):
        return len(one) if one else 0

def after(words):
    assert words, "nothing"
    if len(words) > 1:
        return words[0]

def run(options):
    parser = Parser(options["strict"], options["fast"])
    found = parser.parse(["a", ""])
    if parser.mode == "fast":
        return found
    return after(found or ["b", "c"])
"""
THROUGH = {"strict": 1, "fast": 0}


def test_what_is_called_under_a_decision_of_a_caller_is_led_to_through_all_calls(tmp_path: Path) -> None:
    """The decision is one that the call stands under; an early return covers what follows."""
    (chain,) = chains_of(tmp_path, THROUGH_CALLERS, THROUGH).chains("strict", "program:Parser.word")
    assert lines(chain) == [
        'call: parser = Parser(options["strict"], options["fast"])',
        "attribute: self.strict = strict",
        "if: if not self.strict:",
        "call: return self.checked(words)",
        "call: return [self.word(one) for one in words]",
        "ternary: return len(one) if one else 0",
    ]


def test_what_is_assigned_under_a_decision_comes_from_it(tmp_path: Path) -> None:
    chains = chains_of(tmp_path, THROUGH_CALLERS, THROUGH).chains("fast", "program:run")
    assert lines(chains[0]) == [
        'call: parser = Parser(options["strict"], options["fast"])',
        "if: if fast:",
        'attribute: self.mode = "slow"',
        'if: if parser.mode == "fast":',
    ]
