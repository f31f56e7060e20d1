"""`manage.py reproduce`: tables from the published data."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studies.papers.histories import paper_errors
from studies.papers.tables import Reproduction, printed


def reproduce(*arguments: str) -> dict[tuple[str, str], Any]:
    """What the command prints as JSON, by row and column."""
    out = StringIO()
    call_command("reproduce", *arguments, "--json", stdout=out, stderr=StringIO())
    cells = json.loads(out.getvalue())["cells"]
    return {(cell["row"], cell["column"]): cell for cell in cells}


def test_the_published_numbers_of_regions_and_covers_come_out(reference_data: Path) -> None:
    """Table IV, for the two systems whose data are at hand, exactly; without data there is a reason, not a number."""
    cells = reproduce("comprex-regions", "--data", str(reference_data))
    for row in ("method regions", "method configurations", "program configurations"):
        for column in ("Apache Lucene", "Density Converter"):
            assert cells[row, column]["ours"] == cells[row, column]["published"]
    assert cells["method regions", "H2"]["ours"] is None
    assert "not among" in cells["method regions", "H2"]["remark"]


def test_a_folder_without_the_data_is_named(tmp_path: Path) -> None:
    """Exit code 2, and what to give instead."""
    with pytest.raises(CommandError, match="comprex: holds none of lucene") as caught:
        call_command("reproduce", "comprex-regions", "--data", str(tmp_path))
    assert caught.value.returncode == 2
    with pytest.raises(CommandError, match="give TABLE, or --list"):
        call_command("reproduce")


def test_the_page_is_written_on_demand(reference_data: Path, tmp_path: Path) -> None:
    """Into the folder named, made if need be."""
    call_command(
        "reproduce", "comprex-regions", "--data", str(reference_data), "--docs", str(tmp_path / "new"),
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    assert (
        "manage.py reproduce comprex-regions"
        in (tmp_path / "new" / "published-comprex-regions.md").read_text()
    )


def test_composed_models_have_the_published_terms_and_errors(reference_data: Path) -> None:
    """The paper's counts at 0.3 s, exactly; Lucene's error to the printed digit; samplings never measured say so."""
    terms = reproduce("comprex-appendix-terms", "--data", str(reference_data), "--seeds", "2")
    for column, count in (("Apache Lucene", 19), ("Density Converter", 72)):
        assert terms["Comprex, from 0.3 s", column]["ours"]["value"] == count
    cost = reproduce("comprex-cost", "--data", str(reference_data), "--seeds", "2")
    for row in ("FW configurations", "PW configurations", "Comprex configurations"):
        assert cost[row, "Apache Lucene"]["ours"] == cost[row, "Apache Lucene"]["published"]
    errors = reproduce("comprex-errors", "--data", str(reference_data), "--seeds", "2")
    assert round(errors["Comprex (O)", "Apache Lucene"]["ours"]["value"], 1) in (8.0, 8.1)
    assert errors["PW & LR", "Apache Lucene"]["ours"] is None
    assert "never measured" in errors["PW & LR", "Apache Lucene"]["remark"]


def test_published_coefficients_are_held_against_ours_without_a_database(
    reference_data: Path, tmp_path: Path
) -> None:
    """OpenVPN: all 156 coefficients of 12 releases are least squares of the published measurements."""
    (tmp_path / "performance-evolution").mkdir()
    system = "performance-evolution/OpenVPN"
    (tmp_path / system).symlink_to(reference_data / system)
    cells = reproduce("kaltenecker", "--data", str(tmp_path))
    assert (
        cells["agree", "OpenVPN"]["ours"]["value"] == cells["coefficients", "OpenVPN"]["ours"]["value"] == 156
    )
    assert cells["largest relative difference", "OpenVPN"]["ours"]["value"] < 1e-9


def test_fewer_changes_are_reported_as_the_window_grows(reference_data: Path) -> None:
    """Figure 2's shape, on two series of each system."""
    cells = reproduce("histories-cusum", "--data", str(reference_data), "--series", "2")
    for column in ("xz", "lrzip", "ultrajson"):
        counts = [cells[f"window {share} % of the series", column]["ours"]["value"] for share in (5, 20, 100)]
        assert counts == sorted(counts, reverse=True)


def test_the_papers_own_errors_are_read_for_the_series_that_are_taken(reference_data: Path) -> None:
    """The mean over the variants at hand lies near the printed mean over all of them."""
    own = paper_errors(Reproduction(reference_data), "xz")["Brownian", 0.01]
    published = printed("histories-table-3")["brownian-gpy", "xz 1 %"]
    assert own == pytest.approx(published.value, rel=0.3)
    assert paper_errors(Reproduction(reference_data, series=2), "xz")["Brownian", 0.01] != own
