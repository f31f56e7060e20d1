"""Rows that systems share, and imports that run at once."""

import pytest

from dashboard.importers.records import BatchRecord
from dashboard.models import Environment, SourceText, System
from dashboard.services.imports import batches, reference

pytestmark = pytest.mark.django_db


def test_a_row_that_another_import_made_meanwhile_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reference._ids
    made: list[dict[str, list[int]]] = []

    def another_writes_first(*args: object) -> object:
        found = whole(*args)  # type: ignore[arg-type]
        SourceText.objects.get_or_create(digest="b", defaults={"text": "theirs"})
        return found

    monkeypatch.setattr(reference, "_ids", another_writes_first)
    rows = [SourceText(digest=digest, text="ours") for digest in "abc"]
    ids = dict(
        zip("abc", reference.ensure(SourceText.objects.all(), rows, ("digest",), made.append), strict=True)
    )
    assert dict(SourceText.objects.values_list("digest", "pk")) == ids
    assert SourceText.objects.get(digest="b").text == "theirs"
    # Only what it made itself is taken away again where the import fails.
    assert made == [{"SourceText": [ids["a"], ids["c"]]}]


def test_a_sweep_keeps_shared_rows_while_another_import_writes(system: System) -> None:
    other = System.objects.create(slug="other", name="Other")
    shared = Environment.objects.create(digest="e", name="machine")
    records = [BatchRecord("csv", "one")]
    dead = batches.begin(system, records)
    batches.note_created(dead, {"Environment": [shared.pk]})
    living = batches.begin(other, records)
    batches.sweep(dead)
    assert Environment.objects.filter(pk=shared.pk).exists()
    batches.note_created(living, {"Environment": [shared.pk]})
    batches.sweep(living)
    assert not Environment.objects.filter(pk=shared.pk).exists()
