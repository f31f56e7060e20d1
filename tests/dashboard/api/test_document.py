"""The OpenAPI document is held true: whatever it allows is answered as it says."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.conf import LazySettings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis.strategies import booleans
from schemathesis import GenerationMode

from dashboard.api.application import document
from dashboard.wsgi import application
from tests.dashboard.api.conftest import Call, token_of
from tests.dashboard.api.operations import OPERATIONS
from tests.dashboard.api.world import World
from tests.standing import Standing

# Of each operation, in each of two modes.
MOST_EXAMPLES = 10
# No schema says what a file must hold: `test_writes` sends good and bad ones by hand.
UPLOADS = ("send_file", "send_runs")


@contextmanager
def _open_connections() -> Iterator[None]:
    """Requests close no connection, within a transaction. Django's client, which other tests use, lets them again."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def schema(standing: Standing) -> Any:
    """The document with the application behind it: what Schemathesis reads of both is read once."""
    with standing(), _open_connections():
        return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)


@pytest.fixture
def described(schema: Any, world: World, settings: LazySettings, tmp_path: Path) -> Iterator[Any]:
    """The same as Alice asks, in the transaction of the test."""
    settings.VAR = tmp_path
    schema.config.headers = {"Authorization": f"Bearer {token_of(world.alice)}"}
    with _open_connections():
        yield schema


# What the document does not allow is refused before the database is asked: once, then.
@pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, pytest.param(GenerationMode.NEGATIVE, marks=pytest.mark.once)]
)
@pytest.mark.parametrize("name", [one.name for one in OPERATIONS if one.name not in UPLOADS])
def test_answers_are_as_the_document_says(
    described: Any, world: World, name: str, mode: GenerationMode
) -> None:
    """Statuses, media types, heads and bodies; wrong values are refused, and nothing fails."""
    operation = described.find_operation_by_id(name)
    if mode is GenerationMode.NEGATIVE and name == "take_job":
        return  # nothing is sent with it that could be wrong

    @given(case=operation.as_strategy(generation_mode=mode), is_there=booleans())
    @examples(
        max_examples=MOST_EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers_as_said(case: Any, is_there: bool) -> None:  # noqa: FBT001 -- Hypothesis passes by name
        if is_there and mode is GenerationMode.POSITIVE:
            # Nobody guesses what there is.
            case.path_parameters = {known: world.own[known] for known in case.path_parameters or {}}
        secret = world.own["secret"] if case.path.startswith("/machine/") else ""
        case.call_and_validate(
            headers={"Authorization": f"Bearer {secret}"} if secret else described.config.headers
        )

    answers_as_said()


def test_each_operation_has_a_name_and_words_of_its_own() -> None:
    operations = [one for methods in document()["paths"].values() for one in methods.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert all(
        name.isidentifier() and one["description"] for name, one in zip(names, operations, strict=True)
    )


def test_the_document_is_for_everybody(client: Client, db: None) -> None:
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.json() == document()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/", 404), ("PUT", "/systems", 405), ("GET", "/systems/", 404)],
)
def test_what_there_is_not_is_told_in_the_one_shape(
    anonymous: Call, method: str, path: str, status: int
) -> None:
    answer = anonymous(method, path)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status
