"""The documents of `docs/`, shown where they are needed: behind every "?"."""

from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from markdown import Markdown

_ROOT = (settings.BASE_DIR / "docs").resolve()
_EXTENSIONS = ("tables", "fenced_code", "toc", "sane_lists")


@require_GET
def document(request: HttpRequest, path: str = "") -> HttpResponse:
    """One document by its path below `docs/`, with or without `.md`; images as they are."""
    found = _find(path or "index")
    if found.suffix == ".png":
        return HttpResponse(found.read_bytes(), content_type="image/png")
    text = Markdown(extensions=[*_EXTENSIONS])
    body = text.convert(found.read_text(encoding="utf-8"))
    title = next((token["name"] for token in text.toc_tokens), "Documents")
    return render(request, "document.html", {"title": title, "body": body})


def _find(path: str) -> Path:
    """The file of a document. Raises `Http404` for whatever does not lie below `docs/`."""
    name = path.rstrip("/")
    if not name.endswith((".md", ".png")):
        name += ".md"
    found = (_ROOT / name).resolve()
    if not found.is_relative_to(_ROOT) or not found.is_file():
        raise Http404(f"there is no document {path!r}")
    return found
