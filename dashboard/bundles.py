"""Library code and style sheets of the explorer: compressed once, kept under `var/`, cached by browsers for good."""

import gzip
import re
import tempfile
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

import brotli
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

# brotli 11 takes 14 s for plotly and saves a tenth more; 9 takes 1.5 s, once.
_THOROUGH = 9
_QUICK = 4
_COMPRESS: dict[str, Callable[[bytes, int], bytes]] = {
    "br": lambda body, level: bytes(brotli.compress(body, quality=level)),
    "gzip": lambda body, level: gzip.compress(body, compresslevel=level, mtime=0),
}
_WORTH_IT = 2000
# Dash writes version and time into a name; our own files carry theirs as `?m=`.
_FINGERPRINT = re.compile(r"\.v[\w-]+m[0-9a-fA-F]+\.[\w.]+$")
# Far more than there are.
_MOST_HELD = 100
_FOREVER = "public, max-age=31536000, immutable"


# Body, type and digest of what was served, by its address and encoding.
_held: dict[tuple[str, str], tuple[bytes, str, str]] = {}


def serve_bundle(request: HttpRequest, load: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer a request for a bundle; `load` gets it uncompressed where it is not known yet. Raises `Http404`.

    `load` must ask as GET does, also for HEAD: what it gives is kept for everybody.
    """
    encoding = _accepted(request.headers.get("Accept-Encoding", ""))
    key = (request.path, encoding)
    if key in _held:
        body, content_type, digest = _held[key]
    else:
        loaded = load()
        # No bundle is empty or a page; what is would be kept by browsers for a year.
        is_bundle = loaded.content and not loaded.get("Content-Type", "").startswith("text/html")
        if loaded.status_code != HTTPStatus.OK or not is_bundle:
            raise Http404(f"there is no bundle at {request.path}")
        digest = sha256(loaded.content).hexdigest()[:32]
        body = _compressed(loaded.content, digest, encoding) if encoding else loaded.content
        content_type = loaded["Content-Type"]
        _held[key] = body, content_type, digest
        while len(_held) > _MOST_HELD:
            # Names that somebody made up push the oldest out, and fill no memory.
            _held.pop(next(iter(_held)), None)
    if request.headers.get("If-None-Match") == f'"{digest}"':
        response = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
    else:
        response = HttpResponse(b"" if request.method == "HEAD" else body, content_type=content_type)
        response["Content-Length"] = str(len(body))
        if encoding:
            response["Content-Encoding"] = encoding
    named = _FINGERPRINT.search(request.path) or "m" in request.GET
    response["Cache-Control"] = _FOREVER if named else "no-cache"
    response["ETag"] = f'"{digest}"'
    response["Vary"] = "Accept-Encoding"
    return response


def compress_answer(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Compress an answer of the explorer's where that pays: figures are long lists of numbers.

    No token stands in any answer, so lengths tell nothing.
    """
    encoding = _accepted(request.headers.get("Accept-Encoding", ""))
    if encoding and response.status_code == HTTPStatus.OK and len(response.content) >= _WORTH_IT:
        response.content = _COMPRESS[encoding](response.content, _QUICK)
        response["Content-Encoding"] = encoding
        response["Vary"] = "Accept-Encoding"
    return response


def _compressed(body: bytes, digest: str, encoding: str) -> bytes:
    """The compressed form, from the folder of those made before: named by content, so never stale."""
    path = Path(settings.VAR) / "bundles" / f"{digest}.{encoding}"
    if path.is_file():
        return path.read_bytes()
    compressed = _COMPRESS[encoding](body, _THOROUGH)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(compressed)
    Path(file.name).replace(path)
    return compressed


def _accepted(header: str) -> str:
    offered = {part.partition(";")[0].strip().lower() for part in header.split(",")}
    return next((encoding for encoding in _COMPRESS if encoding in offered), "")
