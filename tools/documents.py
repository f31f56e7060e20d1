"""`make docs`: write the generated pages of docs/ anew. `make check` compares them with what this would write."""

import os
from pathlib import Path

import django

from tools.documents_commands import commands_page
from tools.documents_settings import settings_page

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
KINDS = ("tutorial", "how-to", "reference", "explanation", "adr")
BEGIN, END = "<!-- pages of {kind}: written by `make docs` -->", "<!-- end of {kind} -->"


def title(page: Path) -> str:
    """The page's first heading. Raises `ValueError` where the first line is none."""
    first = page.read_text(encoding="utf-8").partition("\n")[0]
    if not first.startswith("# "):
        raise ValueError(f"{page}: the first line must be the title, as in `# Title`")
    return first.removeprefix("# ").strip()


def index_page(generated: dict[Path, str]) -> str:
    """docs/index.md with the list of each kind's pages between its two marks."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    for kind in KINDS:
        begin, end = BEGIN.format(kind=kind), END.format(kind=kind)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        titles = {page: title(page) for page in (DOCS / kind).glob("*.md") if page not in generated}
        titles |= {
            page: text_.partition("\n")[0][2:]
            for page, text_ in generated.items()
            if page.parent.name == kind
        }
        listed = "".join(
            f"- [{titles[page]}]({kind}/{page.name})\n"
            for page in sorted(titles)
            if "template" not in page.name
        )
        text = f"{before}{begin}\n{listed}{end}{after}"
    return text


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    generated = {
        DOCS / "reference" / "commands.md": commands_page(),
        DOCS / "reference" / "settings.md": settings_page(),
    }
    return {**generated, DOCS / "index.md": index_page(generated)}


def main() -> None:
    """Write the pages that differ."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    for page, text in pages().items():
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
