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
from tests.dashboard.whitebox.stored import FOO, MAIN, SITES, found, region_of, stored_analysis

FILE = FILE_OF["white_box_analyses"]
READ, CALLED, ENTERED = f"{MAIN} 2:4:assignment", f"{MAIN} 4:4:call", f"{MAIN} 4 {FOO}"
# B is read in main, and what foo decides on came by the call; the first `called` is none, as nothing calls main.
LINKS = {
    READ: StepFlow("", "", "", ("B",)),
    CALLED: StepFlow("", READ, "", ("B",)),
    f"{FOO} 8:4:if": StepFlow(ENTERED, CALLED, "", ("B",), calls=(CALLED,)),
}
DEMO = Path(__file__).parents[3] / "demo" / "markdown.zip"


def as_before(link: StepFlow) -> dict[str, Any]:
    """A link as earlier releases wrote it with its site: what comes from outside without calls."""
    words = {"called": link.called, "place": link.place, "caller": link.caller, "options": link.options}
    return words if not link.place else {**words, "calls": link.calls, "decided": link.decided}


def sites_as_before() -> list[dict[str, Any]]:
    places = [f"{one['region']} {one['line']}:{one['column']}:{one['kind']}" for one in SITES]
    return [
        {**one, "earlier": [as_before(LINKS[place])]} if place in LINKS else one
        for one, place in zip(SITES, places, strict=True)
    ]


@pytest.fixture
def old(system: System) -> WhiteBoxAnalysis:
    """A row as an earlier release stored it."""
    option = SystemOption.objects.create(system=system, name="C", position=2)
    Level.objects.create(option=option, position=0, value=False, label="off")
    Level.objects.create(option=option, position=1, value=True, label="on")
    row = stored_analysis(system)
    text = json.dumps(found(sites=sites_as_before()))
    WhiteBoxAnalysis.objects.filter(pk=row.pk).update(result=json.loads(text), data_version=1)
    return WhiteBoxAnalysis.objects.get(pk=row.pk)


def test_a_row_of_an_earlier_release_is_read_and_stored_as_it_is_now(
    old: WhiteBoxAnalysis, system: System
) -> None:
    (chain,) = option_chains(region_of(system, FOO), "B")
    assert ([step.line for step in chain.steps], chain.from_read) == ([2, 4, 8], True)
    links = [link for at in range(len(SITES)) for link in old.result.flows.to(at)]
    assert links == [LINKS[site.place] for site in old.result.sites if site.place in LINKS]
    old.save()
    stored = WhiteBoxAnalysis.objects.annotate(text=Cast("result", TextField()))
    assert "earlier" not in stored.values_list("text", flat=True).get(pk=old.pk)
    again = WhiteBoxAnalysis.objects.get(pk=old.pk).result
    assert again == old.result


def test_a_bundle_of_an_earlier_release_is_read_and_written_as_it_is_now(
    old: WhiteBoxAnalysis, system: System, operator: Principal, tmp_path: Path
) -> None:
    records = load_system_records(system)
    write_bundle(records, tmp_path / "bundle")
    file = tmp_path / "bundle" / FILE
    (record,) = json.loads(gzip.decompress(file.read_bytes()))
    record["found"] = found(sites=sites_as_before())
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
        ("places", [0, 0, 99], "points at nothing"),
        ("options", [["Z"]], "the option is unknown"),
    ):
        flows = {**record["found"]["flows"], column: value}
        broken = [{**record, "found": {**record["found"], "flows": flows}}]
        file.write_bytes(gzip.compress(json.dumps(broken).encode()))
        with pytest.raises(InvalidBundle, match=told):
            import_file(principal=operator, format_name="bundle", path=file.parent, system_name="Copy")


def test_the_analyses_of_the_demo_are_read_and_say_the_same() -> None:
    with zipfile.ZipFile(DEMO) as bundle:
        text = gzip.decompress(bundle.read(FILE))
    records = LIST_SHAPES["white_box_analyses"].validate_json(text, strict=True)
    assert records
    assert [one.found.named_options() for one in records]
    for record, words in zip(records, json.loads(text), strict=True):
        told = record.found.as_json()
        assert len(told["sites"]) == len(words["found"]["sites"])
        for site, one in zip(told["sites"], words["found"]["sites"], strict=True):
            one.pop("earlier", None)
            assert site == one
