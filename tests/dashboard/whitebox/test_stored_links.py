"""Links between steps, as earlier releases stored and exported them and as they are kept now, are read alike."""

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db.models import TextField
from django.db.models.functions import Cast

from analytics.whitebox.evidence import StepFlow
from dashboard.access import Principal
from dashboard.importers.bundle.files import FILE_OF, LIST_SHAPES
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.errors import InvalidBundle
from dashboard.models import Level, System, SystemOption, WhiteBoxAnalysis
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.whitebox.analyses import option_chains
from dashboard.services.imports.importing import import_file
from tests.dashboard.whitebox.stored import FOO, SITES, found, region_of, stored_analysis

FILE = FILE_OF["white_box_analyses"]
# `SITES` are as earlier releases wrote them: the links to each site stand with it.
LINKS = [[StepFlow(**one) for one in site["earlier"]] for site in SITES]
DEMO = Path(__file__).parents[3] / "demo" / "markdown.zip"


@pytest.fixture
def old(system: System) -> WhiteBoxAnalysis:
    """A row as an earlier release stored it."""
    option = SystemOption.objects.create(system=system, name="C", position=2)
    Level.objects.create(option=option, position=0, value=False, label="off")
    Level.objects.create(option=option, position=1, value=True, label="on")
    row = stored_analysis(system)
    WhiteBoxAnalysis.objects.filter(pk=row.pk).update(result=found(), data_version=1)
    return WhiteBoxAnalysis.objects.get(pk=row.pk)


def test_a_row_of_an_earlier_release_is_read_and_stored_as_it_is_now(
    old: WhiteBoxAnalysis, system: System
) -> None:
    rows = WhiteBoxAnalysis.objects.annotate(text=Cast("result", TextField())).values_list("text", flat=True)
    assert "earlier" in rows.get(pk=old.pk)
    (chain,) = option_chains(region_of(system, FOO), "B")
    assert ([step.line for step in chain.steps], chain.from_read) == ([2, 4, 8], True)
    assert [list(old.result.flows.to(at)) for at in range(len(SITES))] == LINKS
    old.save()
    assert "earlier" not in rows.get(pk=old.pk)
    again = WhiteBoxAnalysis.objects.get(pk=old.pk).result
    assert again == old.result


def test_a_bundle_of_an_earlier_release_is_read_and_written_as_it_is_now(
    old: WhiteBoxAnalysis, system: System, operator: Principal, tmp_path: Path
) -> None:
    records = load_system_records(system)
    write_bundle(records, tmp_path / "bundle")
    file = tmp_path / "bundle" / FILE
    (record,) = json.loads(gzip.decompress(file.read_bytes()))
    record["found"] = found()
    file.write_bytes(gzip.compress(json.dumps([record]).encode()))
    import_file(principal=operator, format_name="bundle", path=tmp_path / "bundle", system_name="Copy")
    copy = System.objects.get(slug="copy")
    assert WhiteBoxAnalysis.objects.get(system=copy).result == old.result
    assert bundle_files(load_system_records(copy))[FILE] == bundle_files(records)[FILE]


def test_a_bundle_whose_links_point_at_nothing_is_refused(
    old: WhiteBoxAnalysis, system: System, operator: Principal, tmp_path: Path
) -> None:
    write_bundle(load_system_records(system), tmp_path / "bundle")
    file = tmp_path / "bundle" / FILE
    (record,) = json.loads(gzip.decompress(file.read_bytes()))
    for column, value, told in (
        ("places", [99] * sum(map(len, LINKS)), "points at nothing"),
        ("options", [["A"], ["Z"]], "the option is unknown"),
    ):
        flows = {**record["found"]["flows"], column: value}
        broken = [{**record, "found": {**record["found"], "flows": flows}}]
        file.write_bytes(gzip.compress(json.dumps(broken).encode()))
        with pytest.raises(InvalidBundle, match=told):
            import_file(principal=operator, format_name="bundle", path=file.parent, system_name="Copy")


def test_the_analyses_of_the_demo_which_an_earlier_release_wrote_say_the_same() -> None:
    with zipfile.ZipFile(DEMO) as bundle:
        text = gzip.decompress(bundle.read(FILE))
    (record,) = LIST_SHAPES["white_box_analyses"].validate_json(text, strict=True)
    (words,) = json.loads(text)
    before, now = words["found"]["sites"], record.found
    assert len(now.flows) == sum(len(one.get("earlier", ())) for one in before) > 10_000
    for at, one in enumerate(before):
        links = [_read(link) for link in one.pop("earlier", ())]
        assert list(now.flows.to(at)) == links
    assert now.as_json()["sites"] == before


def _read(link: dict[str, Any]) -> StepFlow:
    lists = {name: tuple(link.get(name, ())) for name in ("options", "calls")}
    return StepFlow(**{**link, **lists})
