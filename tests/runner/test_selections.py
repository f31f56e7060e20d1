"""Selections mean valid configurations, all of them, each once."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations import selections
from runner.errors import SelectionInvalid
from runner.selections import configurations
from runner.subject_files import load_subject
from runner.subjects import Level, OptionDeclaration, SubjectDefinition

HELLO = load_subject(Path(__file__).resolve().parents[2] / "subjects" / "hello")


@st.composite
def subjects(draw: st.DrawFn) -> SubjectDefinition:
    """A subject with up to five options of up to three levels and up to four forbidden combinations."""
    names = "abcde"[: draw(st.integers(1, 5))]
    options = {name: OptionDeclaration(levels=tuple(range(draw(st.integers(2, 3))))) for name in names}
    forbidden: list[dict[str, Level]] = []
    for _ in range(draw(st.integers(0, 4))):
        chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        forbidden.append({name: draw(st.sampled_from(options[name].levels)) for name in chosen})
    return replace(HELLO, options=options, forbidden=tuple(forbidden))


@given(subject=subjects())
def test_all_is_what_brute_force_finds(subject: SubjectDefinition) -> None:
    everything = itertools.product(*(option.levels for option in subject.options.values()))
    expected = {
        levels
        for levels in everything
        if not any(
            all(dict(zip(subject.options, levels, strict=True))[name] == level for name, level in one.items())
            for one in subject.forbidden
        )
    }
    if not expected:
        with pytest.raises(SelectionInvalid):
            configurations(subject, ["all"])
        return
    found = configurations(subject, ["all"])
    assert len(found) == len(expected)
    assert {tuple(level for _, level in one.levels) for one in found} == expected


@given(subject=subjects(), word=st.sampled_from(["default", "feature-wise", "pair-wise", "plackett-burman"]))
def test_every_sampling_is_valid_and_part_of_all(subject: SubjectDefinition, word: str) -> None:
    try:
        everything = configurations(subject, ["all"])
    except SelectionInvalid:
        return
    assert set(configurations(subject, [word])) <= set(everything)


@given(subject=subjects())
def test_feature_wise_reaches_every_level_without_constraints(subject: SubjectDefinition) -> None:
    free = replace(subject, forbidden=())
    levels = {pair for one in configurations(free, ["feature-wise"]) for pair in one.levels}
    assert levels == {(name, level) for name, option in free.options.items() for level in option.levels}
    deviations = sum(len(option.levels) - 1 for option in free.options.values())
    assert len(configurations(free, ["feature-wise"])) == deviations + 1


def test_an_option_that_requires_another_brings_it() -> None:
    found = [one.texts for one in configurations(HELLO, ["feature-wise"])]
    assert {"ignore_case": "off", "stem": "off", "order": "count", "top": "10"} in found


def test_only_leaves_the_other_options_at_their_reference() -> None:
    found = configurations(HELLO, ["only=stem,ignore_case"])
    assert len(found) == 4
    assert {(one.texts["order"], one.texts["top"]) for one in found} == {("none", "0")}


def test_words_add_up_without_doubles() -> None:
    assert len(configurations(HELLO, ["default", "only=stem", "stem=on", "order=name"])) == 3


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("everything", "is no selection"),
        ("only=colour", "no option 'colour'"),
        ("stem=perhaps", "write one of off, on"),
        ("top=10", "breaks a constraint"),
    ],
)
def test_a_selection_that_means_nothing_says_why(word: str, said: str) -> None:
    with pytest.raises(SelectionInvalid, match=said):
        configurations(HELLO, [word])


def test_more_configurations_than_anyone_measures_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selections, "MOST_CONFIGURATIONS", 1000)
    many = replace(
        HELLO, options={f"o{at}": OptionDeclaration(levels=(False, True)) for at in range(40)}, forbidden=()
    )
    with pytest.raises(SelectionInvalid, match="more than 1000 configurations"):
        configurations(many, ["all"])
