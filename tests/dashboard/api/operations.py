"""All operations of the API by the application's own list, with what each is asked for in tests."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from dashboard.api.application import document
from tests.dashboard.api.conftest import call
from tests.dashboard.api.world import MAPPING, REVISIONS, table


class Operation(NamedTuple):
    """One operation: `path` is below `/api/v1`, `query` what it needs there, `body` what is sent to it.

    `status` is what whoever may do it gets: it is no other than 2xx where the two systems have not what it needs.
    """

    name: str
    method: str
    path: str
    query: str = ""
    body: Mapping[str, Any] | None = None
    status: int = 200

    def address(self, places: Mapping[str, str]) -> str:
        """Where it is called, of the system whose things these are. A new name in braces says there what it means."""
        return (self.path + self.query).format(**places)

    def call(self, secret: str, places: Mapping[str, str], **named: Any) -> Any:
        """Its answer, of the system whose things these are, with the body that it needs."""
        sent = self.body or {}
        if "file" in sent:
            fields = {**sent, "system": places["system"], "file": SimpleUploadedFile("t.csv", sent["file"])}
            named |= {"data": encode_multipart(BOUNDARY, fields), "content_type": MULTIPART_CONTENT}
            named["headers"] = {"Idempotency-Key": places["claim"]} if self.is_of_a_machine else {}
        elif self.is_write:
            filled = json.dumps(sent).replace('"{run}"', places["run"]).replace("{claim}", places["claim"])
            named |= {"data": filled, "content_type": "application/json"}
        return call(secret, self.method, self.address(places), **named)

    @property
    def is_write(self) -> bool:
        """Whether it changes anything."""
        return self.method != "GET"

    @property
    def is_for_admins(self) -> bool:
        """Whether it needs the role admin, and a token for writing also where it changes nothing."""
        return "/alerts" in self.path and self.name != "acknowledge_alert"

    @property
    def is_of_a_machine(self) -> bool:
        """Whether the secret of a machine opens it, and no token of anybody."""
        return self.path.startswith("/machine/")

    @property
    def is_of_a_system(self) -> bool:
        """Whether its address names something that belongs to one system."""
        return "{" in self.path


# What must be asked for beyond the address; an operation that needs something says so here.
_QUERIES = {"regions_of_term": "?term=A"}
# What is sent: each write has its line, also one that needs nothing.
_BODIES: Mapping[str, Mapping[str, Any]] = {
    "triage_finding": {"state": "expected", "note": "the new parser"},
    "triage_change": {"state": "noise"},
    "take_back": {},
    "note": {"kind": "note", "first": REVISIONS[1], "text": "a new compiler"},
    "forget": {},
    "invalidate_runs": {"run_ids": ["{run}"], "reason": "the machine was busy"},
    "restore_runs": {"run_ids": ["{run}"]},
    "make_alert_rule": {"name": "any change", "people": ["alice"], "only_worse": False},
    "change_alert_rule": {"name": "slower", "people": ["alice"]},
    "delete_alert_rule": {},
    "test_alert_rule": {},
    "acknowledge_alert": {},
    "measure": {},
    "track": {},
    "fit": {},
    "register": {"name": "build"},
    "pause": {},
    "go_on": {},
    "remove": {},
    "offer_subjects": {"subjects": []},
    "take_job": {},
    "beat_job": {"claim": "{claim}", "progress": 0.5},
    "end_job": {"claim": "{claim}", "how": "released"},
    "send_runs": {"file": b"no bundle"},
    "cancel_job": {},
    "pause_job": {},
    "resume_job": {},
    "send_file": {
        "format": "csv",
        "settings": [f"map={one}" for one in MAPPING],
        "file": table(("r8", "r9")).encode(),
    },
}
# No subject is registered of the two systems: that is told to whoever may measure.
_STATUSES = {
    "note": 201,
    "make_alert_rule": 201,
    "test_alert_rule": 202,
    "delete_alert_rule": 204,
    "fit": 204,
    "forget": 204,
    "measure": 404,
    "track": 404,
    "send_file": 202,
    "register": 201,
    "remove": 204,
    "end_job": 204,
    # What it sends is no bundle, which is told to the machine whose job it is.
    "send_runs": 422,
}


def _operation(path: str, method: str, name: str) -> Operation:
    return Operation(
        name,
        method.upper(),
        path.removeprefix("/api/v1"),
        _QUERIES.get(name, ""),
        None if method == "get" else _BODIES[name],
        _STATUSES.get(name, 200),
    )


OPERATIONS = tuple(
    _operation(path, method, about["operationId"])
    for path, methods in document()["paths"].items()
    for method, about in methods.items()
)


# What people do, by their tokens, and what machines do, by their secrets.
OF_PEOPLE = tuple(one for one in OPERATIONS if not one.is_of_a_machine)
OF_MACHINES = tuple(one for one in OPERATIONS if one.is_of_a_machine)


def named(operation: Operation) -> str:
    """What a test of an operation is called by."""
    return operation.name


def listed(answer: Any) -> Any:
    """The rows of an answer that is a page; None of another one."""
    found = answer.json()
    return found.get("rows") if isinstance(found, dict) and "total" in found else None
