"""Bundles: for everybody, compressed once, cached for good; nothing else of the disk."""

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

from dashboard import bundles
from tests.dashboard.gate.calls import signed_in
from tests.people import Person


@pytest.fixture
def address(alice: Person) -> str:
    """The address of dcc's bundle, as the page names it."""
    page = signed_in(alice.user).get("/app/").content.decode()
    found = re.search(r'src="(/app/_dash-component-suites/dash/dcc/dash_core_components\.v[^"]+)"', page)
    assert found
    return found.group(1)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VAR = tmp_path
    monkeypatch.setattr(bundles, "_held", {})


def test_a_bundle_needs_no_login_and_is_kept_for_good(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["Content-Type"].startswith("text/javascript")
    assert "Content-Encoding" not in answer.headers


def test_its_compressed_forms_hold_the_same_text(client: Client, address: str) -> None:
    plain = client.get(address).content
    br = client.get(address, headers={"Accept-Encoding": "gzip;q=0.5, br"})
    gz = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert (br["Content-Encoding"], gz["Content-Encoding"]) == ("br", "gzip")
    assert brotli.decompress(br.content) == gzip.decompress(gz.content) == plain
    assert br["Vary"] == "Accept-Encoding"


def test_it_is_compressed_once_for_all_processes(
    client: Client, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process, which holds nothing in memory, reads the file."""
    first = client.get(address, headers={"Accept-Encoding": "br"}).content
    (file,) = (tmp_path / "bundles").iterdir()
    assert file.read_bytes() == first
    monkeypatch.setattr(bundles, "_held", {})
    monkeypatch.setattr(bundles, "_COMPRESS", {"br": lambda _body: b"compressed again"})
    assert client.get(address, headers={"Accept-Encoding": "br"}).content == first


def test_a_browser_that_has_it_gets_it_not_again(client: Client, address: str) -> None:
    tag = client.get(address)["ETag"]
    again = client.get(address, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "_dash-component-suites/unknown/x.js",
        "_dash-component-suites/dash/dcc/unknown.js",
        "_dash-component-suites/dash/../../../dashboard/settings.py",
        "_dash-component-suites/plotly/package_data/../../../etc/passwd",
        "assets/unknown.js",
        "assets/../../dashboard/settings.py",
    ],
)
def test_what_is_no_bundle_is_not_found(client: Client, db: None, path: str) -> None:
    assert client.get(f"/app/{path}").status_code == 404


def test_our_own_files_are_kept_by_their_time_in_the_address(client: Client, db: None) -> None:
    assert "immutable" in client.get("/app/assets/page.css?m=1")["Cache-Control"]
    assert client.get("/app/assets/page.css")["Cache-Control"] == "no-cache"


def test_our_own_files_come_together(alice: Person) -> None:
    """Forty files asked for one by one hold up what a first visit sees."""
    client = signed_in(alice.user)
    document = client.get("/app/").content.decode()
    ours = re.findall(r'(?:href|src)="(/app/assets/[^"]+)"', document)
    assert [address.partition("?")[0] for address in ours] == [
        "/app/assets/together.css",
        "/app/assets/together.js",
    ]
    for address in ours:
        answer = client.get(address)
        assert "immutable" in answer["Cache-Control"]
        for file in (Path(settings.BASE_DIR) / "static" / "dash").glob(
            f"*{Path(address.partition('?')[0]).suffix}"
        ):
            assert file.read_bytes() in answer.content
            # Else it would take what follows as its arguments.
            assert file.read_bytes().rstrip().endswith(b"}" if file.suffix == ".css" else b";")


def test_a_first_visit_loads_no_library_that_only_some_pages_need(alice: Person) -> None:
    document = signed_in(alice.user).get("/app/").content.decode()
    scripts = re.findall(r'<script src="([^"]+)"', document)
    assert [one for one in scripts if "dash_core_components" in one]
    assert not [one for one in scripts if re.search("dash_ag_grid|dash_table|polyfill|plotly", one)]
    # They are named there for those that do.
    for name in ("dash_ag_grid", "charts.js", "plotly.min.js"):
        assert re.search(rf'data-\w+="[^"]*{re.escape(name)}[^"]*"', document)


def test_libraries_wait_only_as_the_stand_in_for_their_polyfill_can(alice: Person) -> None:
    """`static/js/early.js` knows how to go through steps one by one: no loop, no branch, no error that is caught within."""
    client = signed_in(alice.user)
    document = client.get("/app/").content.decode()
    found = 0
    for address in re.findall(r'(?:src|data-grids)="(/app/_dash-component-suites/[^"]+)"', document):
        code = client.get(address).content.decode()
        places = re.findall(r"regeneratorRuntime\.(\w+)\(", code)
        steps = re.findall(
            r"regeneratorRuntime\.wrap\(function\((\w)\)\{for\(;;\)switch\(\1\.prev=\1\.next\)\{case 0:return \1\.next=2,\w\(!0\);"
            r'case 2:\w\.isReady=!0;case 3:case"end":return \1\.stop\(\)\}\},\w\)',
            code,
        )
        assert sorted(places) == ["mark"] * len(steps) + ["wrap"] * len(steps)
        assert code.count("regeneratorRuntime") == len(places)
        found += len(steps)
    assert found == 3


def test_made_up_addresses_fill_no_memory_and_keep_nothing_out(client: Client, address: str) -> None:
    """Any version may stand in a name, any text in a query."""
    for number in range(150):
        client.get(f"/app/assets/icons.css?m={number}")
    assert len(bundles._held) == 1
    for number in range(150):
        client.get(re.sub(r"\.v[^.]+\.", f".v1m{number:x}.", address))
    assert len(bundles._held) == 100
    client.get(address)
    assert (address, "") in bundles._held


@pytest.mark.parametrize("encoding", ["", "gzip", "br"])
def test_asking_for_the_head_of_a_bundle_spoils_it_for_nobody(
    client: Client, address: str, encoding: str
) -> None:
    """Monitoring and link checkers ask so; what they get has a length and no body."""
    head = client.head(address, headers={"Accept-Encoding": encoding})
    answer = client.get(address, headers={"Accept-Encoding": encoding})
    assert (head.status_code, head.content) == (200, b"")
    assert int(head["Content-Length"]) == len(answer.content) > 10_000
    assert head["ETag"] == answer["ETag"]


@pytest.mark.parametrize("path", ["assets/unknown.js", "assets/..%2f..%2fdashboard%2fsettings.py", "assets/"])
def test_there_is_no_head_of_what_is_no_bundle(client: Client, db: None, path: str) -> None:
    """And what was asked for so is not found afterwards either."""
    assert client.head(f"/app/{path}").status_code == 404
    assert client.get(f"/app/{path}").status_code == 404
