"""An application for the web server alone, without Django: it tells what it read."""

from collections.abc import Callable, Iterable
from typing import Any

LARGE = b"x" * (8 << 20)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """`/large` is large, `/refuse` reads nothing, everything else tells how many bytes came."""
    path = environ["PATH_INFO"]
    if path == "/large":
        body = LARGE
    elif path == "/refuse":
        body = b"refused"
    else:
        body = f"{len(environ['wsgi.input'].read())} bytes".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
