"""The documents say what is there: generated pages are current, links lead somewhere, nothing is left out."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from tests.project.tracked import ROOT, place, python_modules, tracked_files
from tools import documents
from tools.documents_commands import actions_of, command_parsers, verbs_of
from tools.documents_settings import DEFAULTS, MEANINGS, settings_read

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
# `code`, and blocks between fences: what looks like a link there is none.
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
OUTSIDE = re.compile(r"[a-z]+:")


def _markdown() -> list[Path]:
    """Every page of ours; texts that the product reads or measures stand elsewhere."""
    return [
        path
        for path in tracked_files()
        if path.suffix == ".md" and (path.parent == ROOT or ROOT / "docs" in path.parents)
    ]


@cache
def _anchors(page: Path) -> set[str]:
    """The anchors of the page's headings, as GitHub forms them."""
    headings = re.findall(
        r"^#{1,6} +(.+?) *#*$", CODE.sub(_words, page.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _words(code: re.Match[str]) -> str:
    """Code in a heading counts by its words, a block counts for nothing."""
    return "" if code.group(1) else code.group().strip("`")


def _broken(page: Path, target: str) -> bool:
    path, _, anchor = unquote(target).partition("#")
    aim = (page.parent / path).resolve() if path else page
    if not aim.exists() or ROOT not in [aim, *aim.parents]:
        return True
    return bool(anchor) and aim.suffix == ".md" and anchor not in _anchors(aim)


def test_every_link_within_the_documents_leads_to_a_file_and_heading() -> None:
    """Addresses outside are not tried."""
    broken = [
        f"{place(page)}: {target}"
        for page in _markdown()
        for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
        if not OUTSIDE.match(target) and _broken(page, target)
    ]
    assert not broken, "\n".join(broken)


def test_a_broken_link_is_seen() -> None:
    """To a missing file, to a missing heading, out of the project."""
    index = ROOT / "docs" / "index.md"
    assert _broken(index, "absent.md")
    assert _broken(index, "#no-such-heading")
    assert _broken(index, "../../outside.md")
    assert not _broken(index, "#decisions")
    assert not _broken(index, "../README.md")


def test_generated_pages_are_current() -> None:
    """Otherwise: `make docs`."""
    outdated = [
        place(page)
        for page, text in documents.pages().items()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    assert not outdated, f"run `make docs`: {', '.join(outdated)} would change"


def test_every_page_begins_with_its_title_and_is_of_one_kind() -> None:
    """So that the index can list it."""
    for page in _markdown():
        assert page.read_text(encoding="utf-8").startswith("# "), (
            f"{place(page)} has no title in its first line"
        )
        if ROOT / "docs" in page.parents and page.name != "index.md":
            kind = page.relative_to(ROOT / "docs").parts[0]
            assert kind in documents.KINDS, f"{place(page)}: not in one of {', '.join(documents.KINDS)}"


def test_every_command_and_argument_says_what_it_means() -> None:
    """The reference is made of these texts."""
    silent = []
    for name, parser in command_parsers().items():
        verbs = list(verbs_of(parser))
        silent += [name] if not parser.description else []
        silent += [f"{name} {verb}" for verb, text, _ in verbs if not text]
        for inner in (parser, *(verb for _, _, verb in verbs)):
            silent += [f"{name}: {action.dest}" for action in actions_of(inner) if not action.help]
    assert not silent, "no help is given for " + ", ".join(silent)


def test_every_setting_is_documented_and_none_that_is_not_read() -> None:
    """The meanings are kept in `tools/documents_settings.py`."""
    names = {setting.name for setting in settings_read()}
    assert len(names) > 5
    assert names == set(MEANINGS)
    assert set(DEFAULTS) <= names


def test_no_code_names_a_setting_that_is_not_read() -> None:
    """What a message advises a person to set has an effect."""
    names = {setting.name for setting in settings_read()}
    known = names | {f"{name}_FILE" for name in names}
    unknown = [
        f"{place(path)}: {name}"
        for path in python_modules()
        if path.relative_to(ROOT).parts[0] in {"dashboard", "runner", "probe", "analytics", "studies"}
        for name in re.findall(r"\bPERFATLAS_[A-Z_]+\b", path.read_text(encoding="utf-8"))
        if name not in known
    ]
    assert not unknown, "\n".join(unknown)


def test_every_decision_has_context_decision_and_consequences() -> None:
    """One page each, numbered without gap or double."""
    records = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    for record in records:
        text = record.read_text(encoding="utf-8")
        for heading in ("Context", "Decision", "Consequences"):
            assert f"\n## {heading}\n" in text, f"{place(record)} has no heading {heading}"
        assert len(text.splitlines()) <= 80, f"{place(record)} is longer than a page"
    assert [int(record.name[:4]) for record in records] == list(range(len(records)))
