"""A report as one file: small, closed by a policy of its own, and drawn by the release of the library that the pages use."""

import base64
import hashlib
import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from dashboard import chart_library
from dashboard.access import Principal, access_to
from dashboard.models import System
from dashboard.selectors.reports import FrozenView, ReportSection
from dashboard.services.reports.freezing import store_report

# SHA-256 of `plotly-basic.min.js` in the package `plotly.js-basic-dist-min` of the release that the name tells.
PUBLISHED = "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
SMALL_LIBRARY = settings.BASE_DIR / "static" / chart_library.SMALL_LIBRARY
RELEASE = re.compile(r"plotly\.js (?:\(basic - minified\) )?v(\d+\.\d+\.\d+)")
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def test_the_small_library_is_the_published_file_of_the_installed_release() -> None:
    """Otherwise: take `plotly-basic.min.js` of that release, name it after it, and write its digest here."""
    whole = RELEASE.search(chart_library.whole_library()[:500])
    small = RELEASE.search(SMALL_LIBRARY.read_text()[:500])
    assert whole is not None
    assert small is not None
    assert small[1] == whole[1]
    assert f"-{small[1]}.min.js" in SMALL_LIBRARY.name
    assert hashlib.sha256(SMALL_LIBRARY.read_bytes()).hexdigest() == PUBLISHED
    assert "Permission is hereby granted" in (SMALL_LIBRARY.parent / "LICENSE.txt").read_text()


@pytest.fixture
def kind() -> str:
    """The kind of the trace in the report's figure."""
    return "bar"


@pytest.fixture
def address(principal: Principal, system: System, client: Client, editor: User, kind: str) -> str:
    """Where a member finds the report."""
    figure = {"data": [{"type": kind, "x": [1.5], "y": ["A"], "z": [[1]]}], "layout": {}}
    section = ReportSection("All costs", "", ("term",), (("A",),), figure)
    frozen = FrozenView("All", (), (section,))
    access = access_to(principal, system.slug)
    client.force_login(editor)
    return f"/reports/{store_report(access=access, view='influences', address='', frozen=frozen)}/"


@pytest.mark.parametrize(("kind", "is_small"), [("bar", True), ("scatter", True), ("heatmap", False)])
@pytest.mark.django_db
def test_a_figure_that_the_small_library_does_not_draw_brings_the_whole_one(
    client: Client, address: str, *, is_small: bool
) -> None:
    page = client.get(address).content.decode()
    assert (SMALL_LIBRARY.name in page) == is_small
    assert (reverse("plotly-script") in page) != is_small
    assert (len(client.get(f"{address}report.html").content) < 2_000_000) == is_small


@pytest.mark.django_db
def test_only_the_scripts_of_a_file_run_and_nothing_is_asked_elsewhere(client: Client, address: str) -> None:
    file = client.get(f"{address}report.html").content.decode()
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', file)
    assert found is not None
    policy = dict(part.strip().split(" ", 1) for part in found[1].split(";"))
    digests = [
        base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in SCRIPT.findall(file)
    ]
    assert len(digests) == 2
    assert policy["script-src"].split() == [f"'sha256-{digest}'" for digest in digests]
    assert policy["default-src"] == "'none'"
    assert not re.search(r"<(link|img|iframe|script)[^>]* (src|href)=", file)
