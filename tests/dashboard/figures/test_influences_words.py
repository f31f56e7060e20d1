"""Terms, configurations and findings in words."""

import dataclasses

from dashboard.figures.influences_words import (
    comparison_finding,
    configuration_text,
    influences_finding,
    region_text,
    regions_finding,
    term_names,
    term_short,
    term_text,
)
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate, LevelChange, TermRow
from tests.dashboard.influences_samples import ANALYSIS, DEFAULT, influences, term, term_regions


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_levels_are_written_once_where_all_options_change_alike() -> None:
    assert term_text(term("A*B", 1.0)) == "A × B [off → on]"
    mixed = TermRow(
        "A*mode", (LevelChange("A", "on", "off"), LevelChange("mode", "fast", "slow")), Estimate(1.0), 1
    )
    assert term_text(mixed) == "A [on → off] × mode [fast → slow]"


def test_long_interactions_count_what_does_not_fit() -> None:
    key = "*".join(f"A_RATHER_LONG_OPTION_{n}" for n in range(8))
    short = plain(term_short(term(key, 1.0)))
    assert short == "A_RATHER_LONG_OPTION_0 × A_RATHER_LONG_OPTION_1 + 6 more"
    assert term_short(term("A*B", 1.0)) == "A × B [off → on]"


def test_terms_over_other_levels_of_the_same_options_read_differently() -> None:
    """Too long for both levels of each option, so that only the new ones stand there."""

    def ciphers(prng: str, auth: str) -> TermRow:
        changes = (LevelChange("prng", "prng_sha1", prng), LevelChange("auth", "auth_rsa_sha512", auth))
        return TermRow("prng*auth", changes, Estimate(1.0), 1)

    one, other = ciphers("prng_rsa_sha512", "auth_none"), ciphers("prng_sha512", "auth_sha512")
    assert term_short(one) == "prng=prng_rsa_sha512 × auth=auth_none"
    assert term_short(other) == "prng=prng_sha512 × auth=auth_sha512"
    assert term_names(one) == "prng=prng_rsa_sha512 with auth=auth_none"


def test_a_term_in_a_sentence_names_at_most_three_options() -> None:
    assert term_names(term("A*B*C", 1.0)) == "A with B and C"
    assert plain(term_names(term("A*B*C*D", 1.0))) == "A with B and 2 more options"


def test_configurations_are_said_by_name_or_by_difference() -> None:
    assert configuration_text(DEFAULT) == "default"
    differences = tuple((name, "on") for name in "ABCDE")
    assert (
        plain(configuration_text(ChosenConfiguration("x", "", differences))) == "A on, B on, C on and 2 more"
    )


def test_the_finding_names_what_stands_out_and_bounds_the_rest() -> None:
    terms = (term("A*B", 0.0381), term("A", 0.0021), term("B", -0.001))
    expected = "A with B costs 38.1 ms; the other 2 terms at most 3 ms each"
    assert plain(influences_finding(terms, ANALYSIS)) == expected
    assert plain(influences_finding((term("B", -0.5),), ANALYSIS)) == "B saves 500 ms"
    # Beside a row that reads 120 ± 20 ms the sentence does not say 118.
    assert plain(influences_finding((term("B", 0.118, error=0.01),), ANALYSIS)) == "B costs 120 ms"
    assert influences_finding((), ANALYSIS, hidden=True) == "No term passes these filters"
    # Nothing can be shown by other filters.
    assert influences_finding((), ANALYSIS).startswith("This model has no term")
    # A least size that rounding leaves says nothing.
    alike = [*(term(name, 1.8) for name in ("A", "B", "C", "D", "A*B", "B*C")), term("C*D", 1e-13)]
    assert plain(influences_finding(alike, ANALYSIS)).startswith("7 terms of up to 1.8")


def test_the_finding_of_another_metric_speaks_of_no_time() -> None:
    throughput = dataclasses.replace(
        ANALYSIS, quantity="throughput", unit="requests/s", lower_is_better=False
    )
    assert plain(influences_finding((term("A", 12.0),), throughput)) == "A adds 12.0 requests/s"


def test_the_regions_finding_says_where_most_arises() -> None:
    assert plain(regions_finding(term_regions(term("A", 0.010), 0.007, 0.003))) == (
        "70 % of +10.0 ms arise in Thing.r0"
    )
    assert plain(regions_finding(term_regions(term("A", 0.01), 0.01))) == "All of +10.0 ms arises in Thing.r0"
    spread = term_regions(term("A", 0.010), *[0.001] * 10)
    assert plain(regions_finding(spread)) == (
        "30 % of +10.0 ms arise in Thing.r0, Thing.r1 and Thing.r2, the rest in 7 more"
    )
    partly = term_regions(term("A", 0.010), *[0.001] * 8, outside=0.002)
    assert plain(regions_finding(partly)).endswith("the rest in 5 more and outside of regions")
    nowhere = term_regions(term("A", 0.01), outside=0.01)
    assert plain(regions_finding(nowhere)) == "All of +10.0 ms arises outside of the measured regions"


def test_the_comparison_says_the_difference_both_ends_and_the_largest_term() -> None:
    found = influences(term("A*B", 0.030), term("A", 0.001), term("B", -0.002), base=0.05, compared=True)
    assert (
        plain(comparison_finding(found))
        == "29.0 ± 0.8 ms slower: from 50.0 ms to 79.0 ms; A with B makes 30.0 ms of it"
    )


def test_a_difference_within_its_interval_may_be_chance() -> None:
    found = influences(term("A", 0.0006), base=0.05, compared=True)
    assert plain(comparison_finding(found)).startswith(
        "600 ± 800 µs slower, which may be chance: from 50.0 ms to 50.6 ms"
    )


def test_a_java_signature_is_shown_without_its_types() -> None:
    assert region_text("CharArrayMap.containsKey([CII)Z") == "CharArrayMap.containsKey"
