"""A plan holds every run once, in random order, repetitions spread over the whole time."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from runner.plans import plan
from runner.selections import configurations
from runner.subject_files import load_subject

HELLO = load_subject(Path(__file__).resolve().parents[2] / "subjects" / "hello")
ALL = configurations(HELLO, ["all"])


@given(revisions=st.integers(1, 4), repetitions=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_a_plan_is_complete_and_goes_repetition_by_repetition(
    revisions: int, repetitions: int, seed: int
) -> None:
    names = [str(at) for at in range(revisions)]
    runs = plan(ALL, names, repetitions=repetitions, seed=seed, workload="regular")
    assert [run.position for run in runs] == list(range(revisions * len(ALL) * repetitions))
    assert len({(run.revision, run.configuration, run.repetition) for run in runs}) == len(runs)
    assert [run.repetition for run in runs] == sorted(run.repetition for run in runs)


def test_the_same_seed_gives_the_same_order_and_another_one_another() -> None:
    first, again, other = (
        plan(ALL, ["1", "2"], repetitions=2, seed=seed, workload="regular") for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@given(repetitions=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_two_sides_take_turns(repetitions: int, seed: int) -> None:
    """A B B A or B A A B: over each four runs both sides have the same mean place."""
    runs = plan(ALL[:1], ["old", "new"], repetitions=repetitions, seed=seed, workload="regular")
    names = [run.revision for run in runs]
    for start in range(0, len(names) - 3, 4):
        first, second, third, fourth = names[start : start + 4]
        assert first == fourth != second == third
    assert all(one != other for one, other in zip(names[::2], names[1::2], strict=True))


def test_repetitions_have_orders_of_their_own() -> None:
    runs = plan(ALL, ["1"], repetitions=2, seed=1, workload="regular")
    assert [run.configuration for run in runs[:16]] != [run.configuration for run in runs[16:]]
