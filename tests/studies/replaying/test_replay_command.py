"""`manage.py replay`: what it prints, and what it refuses."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from studies.synthetic import LevelStep, make_history


@pytest.fixture
def histories(tmp_path: Path) -> Path:
    """Two variants of 300 revisions, some of them absent, packed."""
    rng = np.random.default_rng(1)
    rows = ["revision,variant,seconds"]
    for variant, size in (("small", 0.1), ("large", 0.6)):
        levels = make_history(300, rng, base=2.0, steps=[LevelStep(190, size)]).levels
        measured = np.sort(rng.choice(300, 220, replace=False))
        values = levels[measured] * np.exp(rng.normal(0, 0.002, 220))
        rows += [f"{place},{variant},{value:.6f}" for place, value in zip(measured, values, strict=True)]
    path = tmp_path / "histories.csv.gz"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    return path


def replay(path: Path, *options: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("replay", str(path), *options, stdout=out)
    return out.getvalue()


def as_json(path: Path, *options: str) -> dict[str, Any]:
    """What the command prints with --json."""
    found: dict[str, Any] = json.loads(replay(path, "--json", *options))
    return found


def test_it_prints_total_series_and_tests(histories: Path) -> None:
    found = as_json(histories, "--seeds", "2", "--total", "300", "--at", "1,3,5")
    assert set(found) == {"total", "series", "tests", "settings"}
    assert set(found["total"]) == {"mix", "maxvar", "random"}
    assert set(found["series"]) == {"small", "large"}
    score = found["total"]["mix"]["5"]
    assert set(score) == {"mape", "mape_paper", "samples", "precision", "recall", "f1"}
    assert [found["total"]["mix"][at]["samples"] for at in ("1", "3", "5")] == [6, 12, 18]
    assert found["settings"]["minimum_effect_percent"] == pytest.approx(2)
    pairs = {(test["first"], test["second"], test["share"]) for test in found["tests"]}
    assert ("mix", "random", "5") in pairs
    assert len(pairs) == 9


def test_the_total_is_the_mean_over_series(histories: Path) -> None:
    found = as_json(histories, "--acquisition", "mix", "--at", "5")
    own = [found["series"][variant]["mix"]["5"]["mape"] for variant in ("small", "large")]
    assert found["total"]["mix"]["5"]["mape"] == pytest.approx(np.mean(own))
    assert found["tests"] == []


def test_the_same_replay_gives_the_same_numbers(histories: Path) -> None:
    options = ("--acquisition", "mix,random", "--seeds", "3", "--at", "3")
    assert replay(histories, "--json", *options) == replay(histories, "--json", *options)


def test_the_mix_finds_the_steps_within_a_few_measurements(histories: Path) -> None:
    score = as_json(histories, "--acquisition", "mix", "--at", "7")["total"]["mix"]["7"]
    assert score["recall"] == 1
    assert score["mape"] < 0.5


def test_the_default_learns_from_the_variants_before_and_the_others_do_not(histories: Path) -> None:
    options = ("--acquisition", "mix,maxvar", "--at", "3")
    alone, together = as_json(histories, *options, "--alone"), as_json(histories, *options)
    assert (alone["settings"]["learning"], together["settings"]["learning"]) == ([], ["mix"])
    small, large = (
        [played["series"][name]["mix"]["3"]["mape"] for played in (alone, together)]
        for name in ("small", "large")
    )
    assert small[0] == pytest.approx(small[1])
    assert large[1] < large[0]
    assert alone["total"]["maxvar"] == together["total"]["maxvar"]
    assert "with mix learning from those before it" in replay(histories, *options)


def test_transfer_lets_every_acquisition_learn(histories: Path) -> None:
    found = as_json(histories, "--acquisition", "mix,maxvar", "--at", "3", "--transfer")
    assert found["settings"]["learning"] == ["mix", "maxvar"]
    with pytest.raises(CommandError, match="not allowed with"):
        replay(histories, "--transfer", "--alone")


def test_without_json_it_prints_a_table(histories: Path) -> None:
    text = replay(histories, "--acquisition", "mix,maxvar", "--at", "5")
    assert "mean over 2 histories" in text
    assert "of at least 2 %, found within 5 revisions" in text
    assert "mix - maxvar" in text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("revision,variant,seconds\n1,a,2\n2,a,oops\n3,a,1", ("line 3", "oops", "Write a finite number")),
        ("revision,variant,seconds\n1,a,2\n2.5,a,1\n3,a,1", ("line 3", "2.5", "Write a whole number")),
        ("revision,variant,seconds\n1,a,2\n2,a,-1\n3,a,1", ("line 3", "-1", "negative")),
        ("revision,variant,seconds\n1,a,2\n2,a,0\n3,a,1", ("line 3", "not positive")),
        ("revision,seconds\n1,2", ("variant", "missing", "Add it to the header")),
        ("revision,variant,seconds\n1,a,2\n2,a,1", ("fewer than 3",)),
        ("revision,variant,seconds\n", ("holds no measurement",)),
        ("", ("is empty",)),
    ],
)
def test_a_bad_file_is_refused_with_line_value_and_remedy(
    tmp_path: Path, content: str, said: tuple[str, ...]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(CommandError) as refused:
        replay(path)
    assert refused.value.returncode == 2
    for part in ("bad.csv", *said):
        assert part in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--acquisition", "best"), "choose from bisect, gap, maxvar, mix, random"),
        (("--at", "1,many"), "'many' is no percentage"),
        (("--at", "150"), "'150' is no percentage"),
        (("--seeds", "0"), "--seeds 0"),
        (("--total", "-3"), "--total -3"),
        (("--minimum-effect", "-1"), "minimum_effect"),
    ],
)
def test_options_without_sense_are_refused(histories: Path, options: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said) as refused:
        replay(histories, *options)
    assert refused.value.returncode == 2


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="there is no such file") as refused:
        replay(tmp_path / "none.csv")
    assert refused.value.returncode == 2
