"""The language of constraints: what it reads, what it refuses and where."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics.configurations.errors import ConstraintSyntaxError, FeatureModelError
from analytics.configurations.feature_models.expressions import (
    MAX_DEPTH,
    MAX_TOKENS,
    features_in,
    parse,
)
from analytics.configurations.feature_models.polynomials import polynomial
from analytics.configurations.operations import Operation

A, B, C = "A", "B", "C"


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("!A | B & C", Operation("|", (Operation("!", (A,)), Operation("&", (B, C))))),
        ("A => B => C", Operation("=>", (A, Operation("=>", (B, C))))),
        ("A -> B <-> ~C", Operation("<=>", (Operation("=>", (A, B)), Operation("!", (C,))))),
        ("(A | B) | C", Operation("|", (A, B, C))),
        ("A - B + 2", Operation("+", (A, Operation("-", (B,)), Fraction(2)))),
        ("A * B = 1e-1", Operation("=", (Operation("*", (A, B)), Fraction(1, 10)))),
        ("A + B < C / 2", Operation("<", (Operation("+", (A, B)), Operation("/", (C, Fraction(2)))))),
        ("-A != -0.5", Operation("!=", (Operation("-", (A,)), Operation("-", (Fraction(1, 2),))))),
    ],
)
def test_operators_bind_as_documented(text: str, expression: Operation) -> None:
    assert parse(text) == expression


def test_names_that_are_no_plain_words_are_known_by_the_model() -> None:
    assert parse("!smart-quotes | x", ["smart", "smart-quotes"]) == Operation(
        "|", (Operation("!", ("smart-quotes",)), "x")
    )


def test_features_are_listed_once_in_order() -> None:
    assert features_in(parse("B * A + B > 3")) == ("B", "A")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a feature or number is missing at character 1"),
        ("A |", "a feature or number is missing at character 4"),
        ("A B", "unexpected 'B' at character 3"),
        ("(A | B", "a closing parenthesis is missing at character 7"),
        ("A | ; B", "unexpected ';' at character 5"),
        ("A = 3x", "unexpected '3' at character 5"),
        ("A < = B", "a feature or number is missing at character 5"),
        ("(" * 60 + "A" + ")" * 60, "nested more than 50 deep at character 52"),
        ("!" * 60 + "A", "nested more than 50 deep at character 52"),
        ("A = 1e999", "unexpected '1' at character 5"),
        ("A" + " = A" * 60, "more than 50 operators = in a row at character 207"),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(ConstraintSyntaxError) as refused:
        parse(text)
    assert str(refused.value) == problem


def test_too_many_words_are_refused() -> None:
    with pytest.raises(ConstraintSyntaxError, match=f"more than {MAX_TOKENS} words"):
        parse("A" + "|A" * MAX_TOKENS)


@given(text=st.text(alphabet="AB1 .e+-*/()|&!<>=~\n", max_size=80))
@example(text="=>" * MAX_DEPTH)
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConstraintSyntaxError):
        assert all(name in text for name in features_in(parse(text)))


def test_products_are_multiplied_out_and_binary_features_are_their_own_squares() -> None:
    terms = polynomial(parse("(A + N) * (A - N) / 2"), frozenset({"N"}))
    assert terms == {("A",): Fraction(1, 2), ("N", "N"): Fraction(-1, 2)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A / B", "a divisor must be a number, and not zero"),
        ("A / (1 - 1)", "a divisor must be a number, and not zero"),
        ("A + (B | C)", r"\| stands where a number is needed"),
        ("*".join(["(A+B+C+D+E+F)"] * 9), "multiplied out, it has more than 2000 products"),
    ],
)
def test_what_is_no_polynomial_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FeatureModelError, match=problem):
        polynomial(parse(text), frozenset("ABCDEF"))
