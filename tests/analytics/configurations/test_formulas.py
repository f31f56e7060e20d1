"""Formulas are read as the grammar says, and nothing else is."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import ConfigurationError, FormulaSyntaxError
from analytics.configurations.formulas import parse, words
from analytics.configurations.operations import atoms
from analytics.configurations.options import IntArray, Option, OptionSpace
from tests.analytics.configurations.formula_truth import satisfied
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace(
    (
        Option("A", (False, True)),
        Option("smart-quotes", (0, 1)),
        Option("x.y", ("zlib", "lz4", "very fast")),
        Option("n", ("slow", "quick")),
    )
)
ALL = every_configuration(SPACE)
Meaning = Callable[[IntArray], bool]
Written = tuple[str, Meaning]


def _literals() -> st.SearchStrategy[Written]:
    return st.sampled_from(
        [
            ("A", lambda c: bool(c[0] == 1)),
            ("A=off", lambda c: bool(c[0] == 0)),
            ("smart-quotes", lambda c: bool(c[1] == 1)),
            ("x.y", lambda c: bool(c[2] != 0)),
            ("x.y=lz4", lambda c: bool(c[2] == 1)),
            ('x.y = "very fast"', lambda c: bool(c[2] == 2)),
            ("n=slow", lambda c: bool(c[3] == 0)),
            ("True", lambda _: True),
        ]
    )


def _negated(part: Written) -> Written:
    return f"!({part[0]})", lambda c: not part[1](c)


def _joined(parts: list[Written], sign: str) -> Written:
    test = all if sign == "&" else any
    return f" {sign} ".join(f"({text})" for text, _ in parts), lambda c: test(
        meaning(c) for _, meaning in parts
    )


def _formulas() -> st.SearchStrategy[Written]:
    return st.recursive(
        _literals(),
        lambda inner: st.one_of(
            inner.map(_negated),
            st.builds(_joined, st.lists(inner, min_size=1, max_size=3), st.sampled_from("&|")),
        ),
        max_leaves=12,
    )


@given(_formulas())
def test_a_formula_holds_where_its_parts_say(formula: Written) -> None:
    """Against the meaning that was built along with the text, on every configuration."""
    text, meaning = formula
    assert satisfied(parse(text), SPACE, ALL).tolist() == [meaning(c) for c in ALL]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A | n & !A", "A | (n & (!A))"),
        ("!A & n", "(!A) & n"),
        ("A&n|x.y", "(A & n) | x.y"),
        ("  A  ", "A"),
        ("!!A", "A"),
    ],
)
def test_not_binds_tighter_than_and_and_that_tighter_than_or(text: str, same: str) -> None:
    """And spaces do not matter."""
    assert (satisfied(parse(text), SPACE, ALL) == satisfied(parse(same), SPACE, ALL)).all()


def test_an_option_alone_means_any_level_but_the_reference() -> None:
    """Also with three levels."""
    alone = satisfied(parse("x.y"), SPACE, ALL)
    listed = satisfied(parse('x.y=lz4 | x.y="very fast"'), SPACE, ALL)
    assert (alone == listed).all()


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("A &", 3),
        ("A & & n", 4),
        ("A n", 2),
        ("A (n)", 2),
        ("()", 1),
        ("(A", 2),
        ("A)", 1),
        ("!", 1),
        ("A ! n", 2),
        ("A=", 1),
        ("=lz4", 0),
        ('A "n"', 2),
        ("A & n=a=b", 7),
    ],
)
def test_a_fault_is_reported_with_its_position(text: str, position: int) -> None:
    """The first character that cannot stand where it does, or the end where something is missing."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert caught.value.position == position
    assert f"at character {position + 1}" in str(caught.value)


@pytest.mark.parametrize("text", ["(" * 300 + "A" + ")" * 300, "!" * 2_000 + "A", "!" * 9_000 + "A"])
def test_nesting_without_end_is_a_fault_of_the_formula(text: str) -> None:
    """Not a crash of the parser."""
    with pytest.raises(FormulaSyntaxError, match="nested"):
        parse(text)


def test_a_long_chain_is_no_nesting() -> None:
    """A thousand alternatives are read."""
    assert satisfied(parse(" | ".join(["A & n"] * 1_000)), SPACE, ALL).sum() == len(ALL) // 4


@pytest.mark.parametrize(
    "text", ["__import__('os')", "A.__class__", "lambda: 1", "[A]", "A if n else A", "1"]
)
def test_python_in_a_formula_is_never_run(text: str) -> None:
    """It is a syntax error or the name of an option that does not exist."""
    with pytest.raises((FormulaSyntaxError, ConfigurationError)):
        satisfied(parse(text), SPACE, ALL)


def test_unknown_options_and_levels_are_named() -> None:
    """When the formula meets a space."""
    with pytest.raises(ConfigurationError, match="'Z'"):
        satisfied(parse("A & Z"), SPACE, ALL)
    with pytest.raises(ConfigurationError, match=r"x\.y has no level 'lzma'"):
        satisfied(parse("x.y=lzma"), SPACE, ALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A & !smart-quotes", "A on and smart-quotes off"),
        ("!n", "n is slow"),
        ("x.y", "x.y is not zlib"),
        ("!x.y", "x.y is zlib"),
        ("!x.y=lz4 | A & n", "x.y is not lz4 or (A on and n is quick)"),
        ("A & (n | x.y=lz4)", "A on and (n is quick or x.y is lz4)"),
        ("!(A | n)", "not (A on or n is quick)"),
        ("True", "every configuration"),
    ],
)
def test_formulas_are_said_in_words(text: str, said: str) -> None:
    """Switches are on or off, other options are at a level."""
    assert words(parse(text), SPACE) == said


@given(st.text(alphabet="AB&|!()= \"'~[]1", max_size=12))
def test_any_text_is_a_formula_or_a_syntax_error(text: str) -> None:
    """No other exception escapes."""
    try:
        parsed = parse(text)
    except FormulaSyntaxError as error:
        place = error.position
    else:
        place = 0
        assert all(literal.option in text for literal in atoms(parsed))
    assert 0 <= place <= len(text)
