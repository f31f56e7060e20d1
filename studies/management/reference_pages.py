"""Tables that commands write as pages of the documents, beside printing them."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser


def add_docs_argument(parser: CommandParser, what: str) -> None:
    """The option `--docs`: the folder to write `what` to, None where no page is wanted."""
    parser.add_argument(
        "--docs",
        type=Path,
        nargs="?",
        const=Path(settings.BASE_DIR) / "docs" / "reference",
        metavar="FOLDER",
        help=f"write {what} as a page of the documents too (docs/reference)",
    )


def write_page(command: BaseCommand, folder: Path, name: str, text: str) -> None:
    """Write a page, and say where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{name}.md"
    page.write_text(text, encoding="utf-8")
    command.stderr.write(f"written: {page}", str)
