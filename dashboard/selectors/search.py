"""What the search finds in a system besides options, regions and revisions: terms, histories, saved views and configurations; and documents."""

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast

from analytics.configurations.identities import key_of
from dashboard.access import Access, NotFound
from dashboard.models import Configuration, Point, Series
from dashboard.selectors.batch_manifests import unfinished_batches, unseen
from dashboard.selectors.configurations import options_of, options_of_several_levels, words
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.saved_views import seen_views
from dashboard.selectors.systems import Hit, search

# What the documents of `docs/` lie in, and the four kinds in the order of their use.
DOCUMENTS = (settings.BASE_DIR / "docs").resolve()
KINDS = {"tutorial": "Tutorial", "how-to": "How-to", "explanation": "Explanation", "reference": "Reference"}
_GLOSSARY = "reference/glossary"
_WORD = re.compile(r"^\| (?P<word>[^|]+?) \| (?P<meaning>[^|]*?) \|", re.MULTILINE)
_AROUND = 60  # letters before what was found
# Marks of Markdown, and where links lead: what is shown of a document is read, not drawn.
_MARKS = re.compile(r"\]\([^)]*\)|`+|\*+|(?<!\S)#+(?!\S)|\||\[|\]|-{3,}")


@dataclass(frozen=True, slots=True)
class Document:
    """A document of `docs/`: where it stands, its title, and its text."""

    path: str
    title: str
    text: str

    @property
    def kind(self) -> str:
        """The folder that it lies in."""
        return self.path.partition("/")[0]


@lru_cache(maxsize=1)
def documents() -> tuple[Document, ...]:
    """All documents of the four kinds, by kind and title."""
    found = []
    for kind in KINDS:
        rows = []
        for file in sorted(Path(DOCUMENTS / kind).glob("*.md")):
            text = file.read_text(encoding="utf-8")
            rows.append(Document(f"{kind}/{file.stem}", text.partition("\n")[0].lstrip("# "), text))
        found += sorted(rows, key=lambda one: one.title.lower())
    return tuple(found)


def word_anchor(word: str) -> str:
    """Where a word stands in the glossary, as an address says it."""
    return "word-" + re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-")


def found_documents(text: str, limit: int = 8) -> tuple[Hit, ...]:
    """Words of the glossary, then documents, that hold every word of `text`: in titles first. No query."""
    wanted = text.lower().split()
    if not wanted:
        return ()
    glossary = next((one.text for one in documents() if one.path == _GLOSSARY), "")
    entries = [
        Hit("word", f"{_GLOSSARY}#{word_anchor(one['word'])}", one["word"], one["meaning"])
        for one in islice(_WORD.finditer(glossary), 2, None)
        if all(part in one["word"].lower() for part in wanted)
    ]
    ranked = []
    # The longest word tells most: "share" of "how to share".
    telling = max(wanted, key=len)
    for one in documents():
        whole, title = one.text.lower(), one.title.lower()
        if all(part in whole for part in wanted):
            in_title = all(part in title for part in wanted)
            of_title = sum(map(len, {*wanted} & {*title.split()}))
            at = max(whole.find(telling, len(one.title) + 2), 0)
            # Whole words: the first and the last may be cut.
            around = one.text[max(0, at - _AROUND) : at + 2 * _AROUND].partition(" ")[2].rpartition(" ")[0]
            hit = Hit("document", one.path, one.title, " ".join(_MARKS.sub(" ", around).split()))
            ranked.append((not in_title, -of_title, -whole.count(telling), hit))
    ranked.sort(key=lambda row: row[:3])
    entries.sort(key=lambda hit: (len(hit.name), hit.name))
    return (*entries[:limit], *(hit for *_, hit in ranked[:limit]))


def found_in_system(*, access: Access, text: str, limit: int = 8) -> tuple[Hit, ...]:
    """Everything but configurations of a system whose name holds `text`, at most `limit` of each kind; of a term every word of it.

    A constant number of queries. The terms are those of the model that the page of influences opens with.
    """
    system, wanted = access.system, text.strip()
    if not wanted:
        return ()
    parts = wanted.lower().replace("×", " ").replace("*", " ").split()
    terms: list[Hit] = []
    with suppress(NotFound):
        terms = [
            Hit("term", one.key, " × ".join(change.option for change in one.changes), "")
            for one in influences(system=system, selection=Selection()).terms
            if one.degree > 1 and all(part in one.key.lower() for part in parts)
        ]
    points = Point.objects.filter(series=OuterRef("pk")).exclude(batch_id__in=unfinished_batches(system))
    named = Q(label__icontains=wanted) | Q(subject__icontains="*".join(parts))
    series = (
        system.series.filter(named, Exists(points))
        .exclude(subject_kind=Series.SubjectKind.CONFIGURATION)
        .select_related("metric", "environment")
        .order_by("subject_kind", "subject", "pk")
    )
    histories = [
        Hit(
            "history",
            str(one.pk),
            one.label or one.subject.replace("*", " × "),
            f"{one.subject_kind}, {one.metric.clock.replace('none', '').replace('cpu', 'CPU')} {one.metric.quantity}, {one.environment.name}",
        )
        for one in series[:limit]
    ]
    views = seen_views(access).filter(name__icontains=wanted).select_related("owner")[:limit]
    return (
        *search(system=system, text=wanted, limit=limit),
        *terms[:limit],
        *histories,
        *(Hit("view", str(one.pk), one.name, f"of {one.owner}" if one.owner else "") for one in views),
    )


def found_configurations(*, access: Access, wanted: str, limit: int = 8) -> list[Hit]:
    """Configurations by their name or by what differs from the default; four queries at most."""
    rows = (
        Configuration.objects.filter(system=access.system)
        .exclude(assignments={})
        .annotate(written=Cast("assignments", TextField()))
        .filter(Q(name__icontains=wanted) | Q(written__icontains=wanted))
    )
    hidden = unseen(Configuration)
    found = list(islice((row for row in rows.iterator(chunk_size=100) if row.pk not in hidden), limit))
    if not found:
        return []
    space, several = options_of(access.system), options_of_several_levels(access.system)
    levels = space.encode(one.assignments for one in found)
    return [
        Hit(
            "configuration",
            one.name or key_of(space, space.reference, row),
            one.name or said,
            said if one.name else "",
        )
        for one, row in zip(found, levels, strict=True)
        for said in (words(one.assignments, several),)
    ]
