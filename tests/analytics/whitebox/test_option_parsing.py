"""Which regions only parse options."""

from analytics.whitebox.decisions import Decision, option_parsing

PARSING = [Decision("parse", str(at), (at,), ()) for at in range(5)]
WORKING = [Decision("work", "1", (0, 1), ()), Decision("main", "1", (5,), ())]


def test_a_function_that_tests_most_options_and_does_little_only_parses() -> None:
    found = option_parsing([*PARSING, *WORKING], {"parse": 6, "work": 900, "main": 10})
    assert found == {"parse": "tests 5 of 6 options one by one and does 0.7% of what is counted"}


def test_a_function_that_works_does_not_only_parse() -> None:
    assert not option_parsing([*PARSING, *WORKING], {"parse": 60, "work": 900})


def test_a_function_that_tests_what_all_options_led_to_works_even_if_little_is_counted() -> None:
    """Each run may see one option's taint alone in the value that a statement tests; together they are many."""
    starting = [Decision("start", "1", (at,), ()) for at in range(5)]
    starting += [Decision("start", "1", (0, 1), ()), Decision("start", "2", (0,), ((1, 1),))]
    assert not option_parsing([*starting, *WORKING], {"start": 6, "work": 900, "main": 10})


def test_without_counts_nothing_is_known_to_be_negligible() -> None:
    assert not option_parsing(PARSING, {})


def test_few_options_are_never_too_many() -> None:
    assert not option_parsing(PARSING[:3], {"parse": 1, "work": 900})
