"""Lines of the log: each names the request and the job that it is about; none holds the token of a link or what stands in a query."""

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="")
job_id: ContextVar[int | None] = ContextVar("job_id", default=None)

# What follows these is the secret of a share link, an invitation, a login, a new password, an alert, an address or a badge, however long.
_LINK = re.compile(r"(/(?:r|join|login|reset|alert|address|badge)/)[^\s?\"'<]+")
# Any part of an address as long as a token; a commit's full hash is none.
_TOKEN = re.compile(r"(?<=/)(?![0-9a-f]{40}(?![\w-]))[\w-]{32,}")
_QUERY = re.compile(r"(/[^\s?\"'<>]*)\?[^\s\"'<>]+")
_HIDDEN = "…"


def without_secrets(text: str) -> str:
    """The text, with tokens in addresses and all queries hidden."""
    covered = _TOKEN.sub(_HIDDEN, _LINK.sub(rf"\1{_HIDDEN}", text))
    return _QUERY.sub(rf"\1?{_HIDDEN}", covered)


class PlainLines(logging.Formatter):
    """Lines for people: `2026-11-24 14:03:11,482 WARNING dashboard.views [request 4f1c job 12]: text`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s%(about)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """The record in a line, what an exception says below it."""
        about = " ".join(f"{name} {value}" for name, value in _about().items())
        record.about = f" [{about}]" if about else ""
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """Lines for programs: a JSON object each, with `time` (UTC, ISO 8601), `level`, `logger`, `message`, `request`, `job`, `error`."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **_about(),
        }
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def _about() -> dict[str, str | int]:
    found = {"request": request_id.get(), "job": job_id.get()}
    return {name: value for name, value in found.items() if value}
