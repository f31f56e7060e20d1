"""What a tracking job measures next, played on histories that are known: no program runs, no database is asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from analytics.histories.sessions import Session
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.job_columns import IntendedRuns
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.tracking.choosing import TrackingState, choose, limit_of, stop_rule
from dashboard.services.tracking.tracked_series import CodeVersion, versions_in
from runner.source_revisions import SourceRevision

LENGTH = 240

Choice = tuple[CodeVersion, IntendedRuns]


def line(contents: Sequence[int]) -> OrderedRevisions:
    """Revisions r0, r1, ... with these contents."""
    return OrderedRevisions(
        "all",
        tuple(
            RevisionPlace(number, f"r{number}", number, "", "", None, f"{content:064x}")
            for number, content in enumerate(contents)
        ),
    )


def tracked(order: OrderedRevisions, every: int = 1) -> tuple[CodeVersion, ...]:
    """Some of the revisions of an order, as code versions."""
    return versions_in(order, [SourceRevision(one.name, None, "") for one in order.revisions[::every]])


def play(
    level: Callable[[int], float],
    noise: float,
    *,
    seed: int,
    stop_at: str = "steps",
    broken: frozenset[str] = frozenset(),
) -> tuple[list[Choice], str]:
    """The choices for a history of 240 revisions until it stops, and why it did; `noise` is that between sessions."""
    order = line(range(LENGTH))
    places = tracked(order)
    begun = TrackingState(order, places, stop_rule(stop_at, len(places)))
    rng = np.random.default_rng(seed)
    sessions: list[Session] = []
    failed: set[str] = set()
    choices: list[Choice] = []
    latest = ""
    while True:
        choice = choose(replace(begun, sessions=sessions, failed=failed, latest=latest))
        if isinstance(choice, str):
            return choices, choice
        choices.append(choice)
        version, step = choice
        assert len(choices) <= 2 * LENGTH, "it never ends"
        if step.revision in broken:
            failed.add(step.revision)
            continue
        own = level(version.position) * np.exp(rng.normal(0, noise))
        values = own * np.exp(rng.normal(0, noise / 5, 3))
        if step.revision == latest:
            # Runs right after each other are one session, whatever asked for them.
            sessions[-1] = Session(latest, (*sessions[-1].values, *values))
        else:
            sessions.append(Session(step.revision, tuple(values)))
        latest = step.revision


def gap_around(choices: Sequence[Choice], place: int) -> int:
    """How many revisions lie between the measured neighbours of a step."""
    measured = sorted({version.position for version, _ in choices})
    return min(one for one in measured if one >= place) - max(one for one in measured if one < place)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_step_beyond_the_noise_is_bracketed_by_neighbours(seed: int) -> None:
    choices, why = play(lambda place: 1.2 if place >= 77 else 1.0, 0.005, seed=seed)
    assert gap_around(choices, 77) == 1
    assert "no gap hides a step" in why


@pytest.mark.parametrize("place", [1, 2, 5])
def test_a_step_near_the_start_is_checked_without_measuring_one_revision_again_and_again(place: int) -> None:
    choices, _ = play(lambda one: 1.2 if one >= place else 1.0, 0.005, seed=1)
    names = [step.revision for _, step in choices]
    assert not [name for name, then in pairwise(names) if name == then]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_goes_up_and_comes_down_again_is_found_where_it_lasts_a_twentieth(seed: int) -> None:
    """20 of 240 revisions: no gap of more than 12 is left without a look."""
    choices, _ = play(lambda place: 1.1 if 100 <= place < 120 else 1.0, 0.005, seed=seed)
    assert gap_around(choices, 100) == gap_around(choices, 120) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_flat_noisy_history_is_not_measured_to_the_end(seed: int) -> None:
    """Noise of 3 % between sessions is told from steps by checks, so it stops at a quarter of the revisions at most."""
    choices, _ = play(lambda _: 1.0, 0.03, seed=seed)
    assert len(choices) <= LENGTH / 4
    positions = sorted({version.position for version, _ in choices})
    assert max(np.diff(positions)) <= LENGTH // 20 + 1


def test_now_and_then_the_same_code_is_measured_again() -> None:
    """One check in eight; the last sentence names what is left."""
    choices, why = play(lambda _: 1.0, 0.01, seed=1)
    checks = [step for _, step in choices if "check of the noise" in step.reason]
    assert 0.1 < len(checks) / len(choices) < 0.2
    assert "would move the history by" in why


def test_a_check_takes_another_revision_with_the_same_code() -> None:
    """r0 and r1 hold the same code: r1 is the check."""
    order = line([0, *range(30)])
    places = tracked(order)
    sessions = [Session(one.first, (1.0, 1.0, 1.0)) for one in (places[0], places[14], places[-1])]
    choice = choose(TrackingState(order, places, stop_rule("steps", len(places)), sessions=sessions))
    assert not isinstance(choice, str)
    assert choice[1].revision == "r1"
    assert "same code as r0" in choice[1].reason


def test_the_nearest_revisions_stand_in_for_those_that_cannot_be_built() -> None:
    """The first one fails: the second one begins. A failed one is not tried again."""
    choices, _ = play(lambda _: 1.0, 0.01, seed=1, broken=frozenset({"r0", "r119"}))
    names = [step.revision for _, step in choices]
    assert names[:2] == ["r0", "r1"]
    assert names.count("r0") == names.count("r119") == 1
    assert names[names.index("r119") + 1] in {"r118", "r120"}


def test_where_nothing_can_be_built_it_says_so() -> None:
    _, why = play(lambda _: 1.0, 0.01, seed=1, broken=frozenset(f"r{number}" for number in range(LENGTH)))
    assert "no revision can be built" in why


def test_a_wanted_certainty_ends_it_and_is_told() -> None:
    """To 5 % is soon reached."""
    choices, why = play(lambda _: 1.0, 0.002, seed=1, stop_at="5%")
    assert len(choices) < 10
    assert why.startswith("every revision is known")
    assert "or better" in why


@pytest.mark.parametrize("word", ["", "soon", "0%", "101%", "-1%", "0.01"])
def test_a_word_that_is_no_way_to_stop_is_refused(word: str) -> None:
    with pytest.raises(RequestInvalid, match="no way to stop") as caught:
        limit_of(word)
    assert caught.value.field == "stop_at"


def test_of_every_tenth_revision_the_changes_in_between_count_too() -> None:
    """The place of a step is that of all its commits: one of 9,000 lines draws the middle of the bracket to itself."""
    order = line(range(101))
    sizes = [9_000 if number == 24 else 1 for number in range(101)]
    order = replace(
        order,
        revisions=tuple(
            replace(one, changed_lines=size) for one, size in zip(order.revisions, sizes, strict=True)
        ),
    )
    sessions = [Session("r0", (1.0, 1.0)), Session("r100", (1.0, 1.0))]
    versions = tracked(order, every=10)
    state = TrackingState(order, versions, stop_rule("steps", len(versions)), sessions=sessions)
    assert [version.position for version in versions] == list(range(0, 101, 10))
    fitted = state.sampling.fitted
    assert fitted is not None
    assert fitted.change_prior is not None
    assert np.diff(fitted.change_prior.at(np.array([10, 20, 30])))[1] > 1.3 * np.diff(
        fitted.change_prior.at(np.array([10, 20]))
    )
    assert list(state.sampling.candidates) == list(range(10, 100, 10))
