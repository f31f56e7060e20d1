"""An application for the web server alone, without Django: it tells what it read."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from dashboard.services.serving.turns import Turn, begin, end

LARGE = b"x" * (8 << 20)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """`/large` is large, `/refuse` reads nothing, `/turns` takes turns, everything else tells how many bytes came."""
    path = environ["PATH_INFO"]
    status = "200 OK"
    if path == "/large":
        body = LARGE
    elif path == "/refuse":
        body = b"refused"
    elif path == "/turns":
        turn = begin("a", environ["gunicorn.socket"])
        if turn is Turn.NOW:
            time.sleep(0.2)
            body = f"{len(environ['wsgi.input'].read())} bytes".encode()
            end("a")
        else:
            status, body = "429 Too Many Requests", turn.value.encode()
    else:
        body = f"{len(environ['wsgi.input'].read())} bytes".encode()
    start_response(status, [("Content-Length", str(len(body)))])
    return [body]
