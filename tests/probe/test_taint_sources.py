"""Options that are read from the environment, from argparse's result or from a settings object."""

import sys
from pathlib import Path
from typing import Any

import pytest

from probe.taint.instrument import install_names
from probe.taint.records import RECORD, SITES
from probe.taint.sources import SourceUnknown, name_sources
from probe.taint.tracing import trace, traced
from tests.probe.programs import Programs, forget

ARGPARSE = """
import argparse
def run(o):
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--level", type=int, default=0)
    parser.add_argument("--rest", default="")
    words = (["--fast"] if o["fast"] else []) + ["--level", str(o["level"])]
    given = parser.parse_args(words)
    if given.fast:  # fast
        pass
    if given.level > 1:  # level
        pass
    if given.rest:  # rest
        pass
"""
ENVIRONMENT = """
import os
def run(o):
    os.environ.update({"PERFATLAS_FAST": "1" if o["fast"] else "", "PERFATLAS_LEVEL": str(o["level"])})
    if os.environ["PERFATLAS_FAST"]:  # fast
        pass
    if os.getenv("PERFATLAS_LEVEL", "0") == "2":  # level
        pass
    if os.environ.get("PERFATLAS_LEVEL"):  # level
        pass
    if os.environ.get("PERFATLAS_NOWHERE"):  # rest
        pass
"""
WRITTEN = """
import os
def run(o):
    os.environ["PERFATLAS_FAST"] = str(o["fast"])
    os.environ["PERFATLAS_LEVEL"] = str(o["level"])
    if os.environ["PERFATLAS_FAST"]:  # fast
        pass
    if os.environ["PERFATLAS_LEVEL"]:  # level
        pass
"""
SETTINGS = """
import types
class Settings:
    def __init__(self, **given):
        vars(self).update(given)
CURRENT = types.SimpleNamespace(fast=0, level=0, rest=0)
def run(o):
    vars(CURRENT).update(o)
    made = Settings(**o)
    if CURRENT.fast:  # fast
        pass
    if made.level:  # level
        pass
"""
CALLED = """
class Library:
    __slots__ = ("call",)
def run(o):
    call_back(main, source="text", is_fast=o["fast"], level=o["level"], third=1)
def main(source, is_fast, *, level=0, **others):
    if source:  # rest
        pass
    if is_fast:  # fast
        pass
    if level > 1:  # level
        pass
    if others["third"]:  # rest
        pass
"""
OPTIONS = {"fast": 1, "level": 2}


def decided(folder: Path, text: str, sources: dict[str, str]) -> dict[str, set[str]]:
    """The options in td of the decisions at each mark."""
    install_names()
    forget()
    program: Any = Programs(folder).load(text, rewritten=True)
    try:
        name_sources(OPTIONS, sources)
        traced(program.run, OPTIONS)
    finally:
        name_sources({}, {})
    found: dict[str, set[str]] = {}
    for site, data, _ in RECORD.decisions:
        mark = text.splitlines()[SITES[site].line - 1].partition("# ")[2]
        names = {name for at, name in enumerate(OPTIONS) if data >> at & 1}
        found.setdefault(mark, set()).update(names)
    return found


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERFATLAS_FAST", "PERFATLAS_LEVEL"):
        monkeypatch.setenv(name, "")


def test_arguments_have_the_taints_of_their_options_alone(tmp_path: Path) -> None:
    found = decided(tmp_path, ARGPARSE, {"fast": "argument:fast", "level": "argument:level"})
    assert found["fast"] == {"fast"}
    assert found["level"] == {"level"}


def test_an_argument_that_is_no_source_may_depend_on_all_options_that_are_none(tmp_path: Path) -> None:
    found = decided(tmp_path, ARGPARSE, {"fast": "argument:fast"})
    assert found["rest"] == {"level"}


def call_back(function: Any, **named: Any) -> None:
    """As a library that parses a command line and calls the program."""
    function(**named)


def test_parameters_of_a_function_that_a_library_calls_have_the_taints_of_their_options_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.call_back", call_back, raising=False)
    found = decided(tmp_path, CALLED, {})
    assert found["fast"] == found["level"] == found["rest"] == {"fast", "level"}
    sources = {"fast": "parameter:program:main.is_fast", "level": "parameter:program:main.level"}
    assert decided(tmp_path, CALLED, sources) == {"fast": {"fast"}, "level": {"level"}}
    # What is not named may depend on what is not named.
    found = decided(tmp_path, CALLED, {"fast": "parameter:program:main.is_fast"})
    assert (found["fast"], found["level"], found["rest"]) == ({"fast"}, {"level"}, {"level"})
    collected = decided(tmp_path, CALLED, {"fast": "parameter:program:main.third"})
    assert collected["rest"] == {"fast", "level"}


CONTEXTS = """
import click
def check(ctx, parameter, value):
    if value:  # level
        return value
@click.group()
@click.option("--fast", is_flag=True)
@click.pass_context
def main(ctx, **given):
    ctx.obj = {"fast": given["fast"], "rest": 1}
    if ctx.params["fast"]:  # fast
        pass
@main.command()
@click.option("--level", type=int, callback=check)
@click.pass_context
def turn(ctx, level):
    if ctx.obj["fast"]:  # fast
        pass
    if ctx.obj["rest"]:  # -
        pass
    if ctx.parent.params["fast"]:  # fast
        pass
    if ctx.params.get("level"):  # level
        pass
    later()
    ctx.invoke(last)
def later():
    if click.get_current_context().params["level"]:  # level
        pass
@main.command()
@click.pass_obj
def last(given):
    if given["fast"]:  # fast
        pass
def run(o):
    words = (["--fast"] if o["fast"] else []) + ["turn", "--level", str(o["level"])]  # fast
    main(words, standalone_mode=False)
"""


def test_contexts_of_click_have_the_taints_of_what_was_parsed(tmp_path: Path) -> None:
    """They hold it for commands within others, and what these put there. What checks an option is given no other."""
    sources = {"fast": "parameter:program:main.fast", "level": "parameter:program:turn.level"}
    assert decided(tmp_path, CONTEXTS, sources) == {"fast": {"fast"}, "level": {"level"}}


def test_variables_have_the_taints_of_their_options_alone(tmp_path: Path) -> None:
    sources = {"fast": "environment:PERFATLAS_FAST", "level": "environment:PERFATLAS_LEVEL"}
    found = decided(tmp_path, ENVIRONMENT, sources)
    assert found["fast"] == {"fast"}
    assert found["level"] == {"level"}
    assert "rest" not in found


def test_variables_that_the_program_writes_need_no_source(tmp_path: Path) -> None:
    found = decided(tmp_path, WRITTEN, {})
    assert found["fast"] == {"fast"}
    assert found["level"] == {"level"}


def test_attributes_of_an_object_and_of_instances_of_a_class_are_sources(tmp_path: Path) -> None:
    sources = {"fast": "attribute:program:CURRENT.fast", "level": "attribute:program:Settings.level"}
    found = decided(tmp_path, SETTINGS, sources)
    assert found["fast"] == {"fast"}
    assert found["level"] == {"level"}


@pytest.mark.parametrize("name", ["program:MISSING.fast", "nowhere.at.all:X.fast"])
def test_an_attribute_that_is_not_there_is_refused_with_its_key_and_value(tmp_path: Path, name: str) -> None:
    Programs(tmp_path).load(SETTINGS, rewritten=False)
    assert "program" in sys.modules
    with pytest.raises(SourceUnknown, match=f"analysis.sources.fast = 'attribute:{name}' names nothing"):
        name_sources(OPTIONS, {"fast": f"attribute:{name}"})
    name_sources({}, {})


def test_an_option_that_only_chooses_what_is_called_was_read(tmp_path: Path) -> None:
    """It is in no step, argument or decision, for what it chooses has no taint; so is one that was got in vain."""
    text = """
KINDS = {("plain", 0): list, ("plain", 1): tuple}
def run(o):
    o.get("vain")
    return KINDS[o["kind"], o["frozen"]]()
"""
    install_names()
    forget()
    options = {"kind": "plain", "frozen": 1, "vain": 0, "never": 0}
    assert traced(Programs(tmp_path).load(text, rewritten=True).run, options) == ()
    assert trace(tuple(options))["read"] == 0b0111
