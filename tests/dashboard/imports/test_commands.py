"""The commands `import` and `export`: what they print, and how they end."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dashboard.importers.registry import FORMATS
from dashboard.models import System
from tests.conftest import ROOT
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.feature_model_sample import SAMPLE


def _refused(*arguments: str) -> tuple[int, str]:
    errors = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command(*arguments, stderr=errors, stdout=StringIO())
    return refused.value.returncode, f"{errors.getvalue()}{refused.value}"


@pytest.mark.django_db
def test_import_says_what_came_in_and_progress_goes_to_standard_error(tmp_path: Path) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.changed("regions.csv", "main()V,2", "main()V,3"))
    out, errors = StringIO(), StringIO()
    call_command("import", "comprex", str(folder), system="Toy", stdout=out, stderr=errors)
    assert out.getvalue() == "Toy: 20 runs, 8 configurations, 4 regions, 1 revision (address: toy)\n"
    assert "writing 20 runs" in errors.getvalue()
    assert "note: regions.csv, line 3: n_subspaces of R1 is 3" in errors.getvalue()
    again = StringIO()
    call_command("import", "comprex", str(folder), system="Toy", stdout=again, stderr=errors)
    assert again.getvalue() == "Toy holds exactly this already: nothing changed.\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("format_name", "content", "words"),
    [
        ("feature-model", SAMPLE, "Toy: 1 feature model, 5 options (address: toy)\n"),
        ("csv", "fast,time\non,3\n", "Toy: 1 run, 1 configuration, 1 revision (address: toy)\n"),
        (
            "csv",
            "fast,time\n0,1\n-0,2\n2,3\n",
            "Toy: 3 runs, 2 configurations, 1 region, 1 revision (address: toy)\n",
        ),
    ],
)
def test_import_counts_only_what_came_in(tmp_path: Path, format_name: str, content: str, words: str) -> None:
    """A feature model has options, no runs; of a table with one configuration no model is missed."""
    path = tmp_path / ("model.xml" if format_name == "feature-model" else "table.csv")
    path.write_text(content)
    out = StringIO()
    told = {"map": ["fast=option", "time=metric:time:ms"], "revision": ["1.0"]}
    call_command(
        "import",
        format_name,
        str(path),
        system="Toy",
        stdout=out,
        stderr=StringIO(),
        **(told if format_name == "csv" else {}),
    )
    assert out.getvalue() == words


@pytest.mark.django_db
def test_import_ends_with_2_and_a_line_per_fault(tmp_path: Path) -> None:
    files = sample.changed("runs.csv", "c0,1", "c9,1")
    files["groundtruth.csv"] = sample.changed("groundtruth.csv", "g1,0", "g1,5")["groundtruth.csv"]
    code, text = _refused("import", "comprex", str(sample.as_folder(tmp_path / "toy", files)), "--system=Toy")
    assert code == 2
    assert "\nruns.csv, line 3, column 'config_id': is no known configuration (value 'c9')" in text
    assert "\ngroundtruth.csv, line 3, column 'A': is neither 0 nor 1 (value '5')" in text
    assert text.endswith("nothing was imported: 2 faults")
    assert not System.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent", "--system=Toy"), "there is no such file or folder"),
        ((".", "--system=!"), "is no name for a system"),
        ((".",), "give FORMAT, PATH and --system"),
    ],
)
def test_import_ends_with_2_for_wrong_arguments(arguments: tuple[str, ...], words: str) -> None:
    code, text = _refused("import", "comprex", *arguments)
    assert code == 2
    assert words in text


def test_import_lists_its_formats() -> None:
    out = StringIO()
    call_command("import", list=True, stdout=out)
    assert [line.split()[0] for line in out.getvalue().splitlines()] == list(FORMATS)


def test_the_process_itself_ends_with_2_for_an_unknown_format() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "import", "excel", ".", "--system", "Toy"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "invalid choice: 'excel'" in done.stderr
    assert not done.stdout


@pytest.mark.django_db
def test_export_writes_a_new_folder_or_zip_and_never_over_anything(tmp_path: Path) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    call_command("import", "comprex", str(folder), system="Toy", stdout=StringIO(), stderr=StringIO())
    out = StringIO()
    call_command("export", "Toy", str(tmp_path / "out"), stdout=out)
    call_command("export", "toy", str(tmp_path / "out.zip"), stdout=out)
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert out.getvalue().startswith("toy: written to ")
    for path, words in (
        (tmp_path / "out", "something already"),
        (tmp_path / "no" / "out", "cannot be written"),
    ):
        code, text = _refused("export", "toy", str(path))
        assert code == 2
        assert words in text
    assert _refused("export", "nobody", str(tmp_path / "x"))[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.zip", "toy"]
