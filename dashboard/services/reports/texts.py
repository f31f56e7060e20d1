"""Reports of several views: own text in Markdown, with saved views and numbers put in where it names them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from urllib.parse import parse_qsl

import nh3
from django.utils.html import escape
from markdown import markdown

from dashboard.access import Access, NotFound, Refused
from dashboard.models import SavedView
from dashboard.selectors.history_list.stored import EVERYTHING, is_suite
from dashboard.selectors.reports import FrozenView, ReportSection
from dashboard.selectors.saved_views import list_views
from dashboard.services.plain_lines import check_line
from dashboard.services.reports.freezing import store_report
from dashboard.services.reports.numbers import bound_number
from dashboard.services.reports.views import freeze_view

COMPOSED = "composed"
LONGEST_TEXT = 50_000
_MOST_VIEWS = 20
# Different ones: each may ask for a whole model or history, and a preview waits for all.
_MOST_NUMBERS = 100
# No two parts of a pattern take the same characters: what matches nowhere is told at once, however long it is.
_VIEW = re.compile(r"\s*+\{\{\s*+view:(?P<name>[^{}]+)\}\}\s*+")
_BOUND = re.compile(r"\{\{\s*+(?P<word>[^\s{}@]*+)(?P<about>[^{}@]*+)(?:@(?P<view>[^{}]*+))?\}\}")
# What is left of a line in which a view was meant: too few braces, or some apart.
_MALFORMED_VIEW = re.compile(r"\{\s*+view:")
_TWO_BRACES = "a view is named within two braces on each side: {{ view:NAME }}"
# What Markdown may look at, in letters: about two seconds of it. Texts that people write take a hundredth.
_MOST_STEPS = 10_000_000
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n")


@dataclass(frozen=True, slots=True)
class TextProblem:
    """What of a report's text cannot be put in: its line, counted from 1, and what is wrong with it."""

    line: int
    said: str


def compose(*, access: Access, title: str, text: str) -> tuple[FrozenView, tuple[TextProblem, ...]]:
    """A report as it would be published now, and what stands against that.

    The numbers are those of this moment. Raises `Refused` for a text that is too long or names too many views or numbers.
    """
    _check_amounts(text)
    lines, views = text.splitlines(), list_views(access=access)
    sections: list[ReportSection] = []
    written: list[str] = []
    problems: list[TextProblem] = []

    read = cache(partial(_number, access, views))

    def put_in(match: re.Match[str]) -> str:
        found = read(*match.group("word", "about", "view"))
        if isinstance(found, str):
            return found
        raise found.with_traceback(None)

    def end_text() -> None:
        if any(line.strip() for line in written):
            sections.append(ReportSection("", "", (), (), text="\n".join(written)))
        written.clear()

    for place, line in enumerate(lines, 1):
        try:
            if match := _VIEW.fullmatch(line):
                shown = _shown(access, _named(access, views, match["name"].strip()))
                end_text()
                sections += shown
            else:
                written.append(_BOUND.sub(put_in, line))
                if _MALFORMED_VIEW.search(written[-1]):
                    problems.append(TextProblem(place, _TWO_BRACES))
        except (Refused, NotFound) as error:
            problems.append(TextProblem(place, str(error)))
    end_text()
    return FrozenView(title.strip(), (), tuple(sections)), tuple(problems)


def publish(*, access: Access, title: str, text: str) -> int:
    """Keep a report with the numbers of this moment; later data never change it. Returns its id.

    Raises `Refused` where the title or all of the text is blank, or something in it cannot be put in; `Forbidden`
    without the role editor.
    """
    frozen, problems = compose(access=access, title=title, text=text)
    if problems:
        raise Refused(f"line {problems[0].line}: {problems[0].said}")
    if not title.strip() or not frozen.sections:
        raise Refused("a report needs a title and some text")
    check_line(title, "the title")
    return store_report(access=access, view=COMPOSED, address="", frozen=frozen)


@lru_cache(maxsize=64)
def written_html(text: str) -> str:
    """Markdown as HTML that holds nothing but text, tables and links: no script, no style, no picture from elsewhere.

    Its headings stand below the title of the report. What Markdown would take too long over stands as it was written.
    """
    below = {"toc": {"baselevel": 2, "marker": ""}}
    drawn = f"<pre>{escape(text)}</pre>"
    if _steps(text) <= _MOST_STEPS:
        # Lists within lists, thousands of them, are deeper than Python goes.
        with suppress(RecursionError):
            drawn = markdown(
                text, extensions=["tables", "fenced_code", "sane_lists", "toc"], extension_configs=below
            )
    return nh3.clean(
        drawn, tags=nh3.ALLOWED_TAGS - {"img", "map", "area"}, url_schemes={"http", "https", "mailto"}
    )


def _steps(text: str) -> int:
    """How many letters Markdown looks at, at most: from each `<` on all of the text, from each `[` on its paragraph.

    Underlined headings take the whole paragraph apart, line by line, five times as fast.
    """
    paragraphs = _BLANK_LINES.split(text)
    inside = sum((one.count("[") + one.count("\n") // 5) * len(one) for one in paragraphs)
    return inside + text.count("<") * len(text)


def _check_amounts(text: str) -> None:
    """Raise `Refused` for a text that is too long, or names too many views or numbers."""
    if len(text) > LONGEST_TEXT:
        raise Refused(f"the text has {len(text)} characters: shorten it to {LONGEST_TEXT}")
    if sum(_VIEW.fullmatch(line) is not None for line in text.splitlines()) > _MOST_VIEWS:
        raise Refused(f"a report holds {_MOST_VIEWS} views: leave some out")
    if len({match.groups() for match in _BOUND.finditer(text)}) > _MOST_NUMBERS:
        raise Refused(f"a report holds {_MOST_NUMBERS} different numbers: leave some out")


def _number(
    access: Access, views: tuple[SavedView, ...], word: str, about: str, at: str | None
) -> str | Refused | NotFound:
    """What stands for a number of a text, or why nothing does."""
    if word.startswith("view:"):
        return Refused("a view stands alone on its line: put what is beside it on another one")
    try:
        lens = {} if at is None else _lens(_named(access, views, at.strip()))
        return bound_number(access, word, about.strip(), lens)
    except (Refused, NotFound) as error:
        return error


def _named(access: Access, views: tuple[SavedView, ...], name: str) -> SavedView:
    """The view of that name: one's own before those that others share."""
    found = [one for one in views if one.name == name]
    own = [one for one in found if one.owner_id == access.principal.user_id]
    if len(own or found) != 1:
        there = ", ".join(f"“{one.name}”" for one in views[:5]) or "none yet: save one on its page"
        several = f"{len(found)} people share a view {name!r}: save one of them under a name of your own"
        raise Refused(several if found else f"there is no view {name!r}; there are {there}")
    return (own or found)[0]


def _lens(view: SavedView) -> Mapping[str, str]:
    """What a view selects, with the thing that its address names."""
    named = {"regions": "region", "histories": "series", "options": "option"}.get(view.section)
    return dict(parse_qsl(view.query)) | ({named: view.key} if named and view.key else {})


def _shown(access: Access, view: SavedView) -> tuple[ReportSection, ...]:
    """The sections of a view; the first says what the data are."""
    lens = _lens(view)
    lists = view.section == "histories" and (
        view.key == EVERYTHING or (not view.key and is_suite(access.system))
    )
    section = "findings" if lists else view.section or "overview"
    frozen = freeze_view(access=access, view=section, lens=lens)
    about = ", ".join(f"{name} {value}" for name, value in frozen.facts)
    first, *rest = frozen.sections
    return (replace(first, explanation=f"{first.explanation} Data: {about}.".strip()), *rest)
