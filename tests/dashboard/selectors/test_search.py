"""The search finds what a system has by name, words of the glossary, and documents."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from dashboard.access import access_to
from dashboard.models import (
    Configuration,
    Environment,
    Metric,
    Series,
    System,
    Workload,
)
from dashboard.selectors.search import (
    documents,
    found_configurations,
    found_documents,
    found_in_system,
    word_anchor,
)
from tests.people import Person


def _kinds(person: Person, text: str) -> set[tuple[str, str]]:
    access = access_to(person.principal, "small")
    found = found_in_system(access=access, text=text)
    others = found_configurations(access=access, wanted=text)
    return {(hit.kind, hit.key) for hit in (*found, *others)}


@pytest.fixture
def remembered(system: System) -> Series:
    """A history of the term A × B at one revision, and one of a benchmark without any point."""
    metric = Metric.objects.create(quantity="time", unit="s", clock=Metric.Clock.CPU)
    where = {
        "system": system,
        "workload": Workload.objects.get(),
        "environment": Environment.objects.get(),
        "metric": metric,
    }
    Series.objects.create(subject_kind="benchmark", subject="A*B never", identity="never", **where)
    return Series.objects.create(subject_kind="term", subject="A*B", identity="of a term", **where)


def test_configurations_are_found_by_what_differs_from_the_default(alice: Person, system: System) -> None:
    assert ("configuration", "c2") in _kinds(alice, "B")
    Configuration.objects.update(name="")
    assert ("configuration", "A*B") in _kinds(alice, "B")
    Configuration.objects.filter(assignments={"A": "on"}).update(name="quick one")
    assert ("configuration", "quick one") in _kinds(alice, "QUICK")


def test_a_history_without_points_is_not_found(alice: Person, remembered: Series) -> None:
    assert not any(kind == "history" for kind, _ in _kinds(alice, "A*B"))


def test_a_search_asks_a_constant_number_of_queries(
    alice: Person, system: System, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    access = access_to(alice.principal, "small")
    with django_assert_max_num_queries(20):
        found_in_system(access=access, text="A")
    assert found_in_system(access=access, text="  ") == ()


def test_words_of_the_glossary_come_first_with_their_own_address() -> None:
    first = found_documents("change point")[0]
    assert (first.kind, first.key) == ("word", "reference/glossary#word-change-point")
    assert first.detail.startswith("a revision at which")
    assert found_documents(" ") == ()
    assert found_documents("no such word at all xyzzy") == ()


def test_documents_whose_title_holds_the_words_come_before_others() -> None:
    found = [hit for hit in found_documents("flame graph") if hit.kind == "document"]
    assert found[0].key == "how-to/read-a-flame-graph"
    assert {one.kind for one in documents()} == {"tutorial", "how-to", "explanation", "reference"}


def test_a_question_finds_the_document_whose_title_holds_its_telling_word() -> None:
    found = [hit for hit in found_documents("how to share") if hit.kind == "document"]
    assert found[0].key == "how-to/share-a-report"
    assert "share" in found[0].detail.lower()


def test_documents_have_a_sidebar_a_search_and_words_with_an_address(client: Client) -> None:
    said = client.get("/docs/reference/glossary").content.decode()
    assert f'<tr id="{word_anchor("A/A comparison")}">' in said
    assert 'aria-label="Documents"' in said
    assert '<a class="quiet-link" href="/docs/reference/glossary" aria-current="page">Glossary</a>' in said
    found = client.get("/docs/", {"q": "flame <b>"}).content.decode()
    assert "Nothing found for “flame &lt;b&gt;”" in found
    assert "/docs/how-to/read-a-flame-graph" in client.get("/docs/", {"q": "flame graph"}).content.decode()


def test_what_is_shown_of_a_document_is_whole_words_without_marks() -> None:
    for wanted in ("chain", "certificate", "worker"):
        for hit in (one for one in found_documents(wanted, limit=40) if one.kind == "document"):
            assert not set("`*|[]#") & set(hit.detail), hit.detail
            source = next(one.text for one in documents() if one.path == hit.key)
            assert {hit.detail.split()[0], hit.detail.split()[-1]} <= set(
                re.split(r"[\s`*|\[\]#]+", source)
            ), hit.detail
