"""What Dash calls a page's callback with, and what the function gets."""

from collections.abc import Callable
from typing import Any

import pytest
from dash import ALL, Input, Output, State, no_update
from dash.exceptions import PreventUpdate

from dashboard.access import Access, NotFound, Permission, current_principal
from dashboard.models import System
from dashboard.pages import ids, system_callback
from dashboard.pages.lens import Lens
from tests.people import Person


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """The functions that were handed to Dash, with the inputs by name."""
    handed: list[tuple[Callable[..., Any], dict[str, Any]]] = []

    def callback(*_: Any, **options: Any) -> Callable[[Callable[..., Any]], None]:
        return lambda function: handed.append((function, options))

    monkeypatch.setattr(system_callback, "callback", callback)
    return handed


def test_the_access_comes_first_and_the_lens_is_read(called: list[Any], system: System, vera: Person) -> None:
    """By position; the system's slug is asked for behind what the page asks for."""
    got: list[object] = []

    @system_callback.system_callback(
        Output("a", "children"), Input(ids.LENS, "data"), State("b", "value"), prevent_initial_call=True
    )
    def show(*values: object) -> None:
        got.extend(values)

    token = current_principal.set(vera.principal)
    try:
        called[0][0]({"term": "A"}, 7, system.slug)
    finally:
        current_principal.reset(token)
    assert got == [Access(vera.principal, system, Permission.VIEW), Lens(term="A"), 7]
    assert called[0][1] == {"prevent_initial_call": True}
    show("stays", "ordinary")
    assert got[3:] == ["stays", "ordinary"]


def test_inputs_may_have_names(called: list[Any], system: System, bob: Person) -> None:
    """The access comes by position all the same."""
    got: dict[str, object] = {}

    @system_callback.system_callback(
        output=Output("a", "children"),
        inputs={"lens": State(ids.LENS, "data"), "values": {"n": Input("b", "value")}},
    )
    def show(access: Access, **named: object) -> None:
        got.update(named, access=access)

    token = current_principal.set(bob.principal)
    try:
        called[0][0](lens=None, values={"n": 1}, _slug=system.slug)
    finally:
        current_principal.reset(token)
    assert got == {
        "lens": Lens(),
        "values": {"n": 1},
        "access": Access(bob.principal, system, Permission.EDIT),
    }


def test_a_stranger_reaches_no_function(called: list[Any], system: System, charlie: Person) -> None:
    """Who has no role on the system is told that it is not there."""

    @system_callback.system_callback(Output("a", "children"), Input("b", "value"))
    def show(*_: object) -> None:
        raise AssertionError

    token = current_principal.set(charlie.principal)
    try:
        with pytest.raises(NotFound):
            called[0][0](1, system.slug)
    finally:
        current_principal.reset(token)


def test_a_button_that_nobody_pressed_starts_nothing(called: list[Any], system: System, bob: Person) -> None:
    """Neither one button nor all of a pattern; beside another input a button does not hold the callback back."""
    got: list[object] = []

    def note(_: Access, *values: object) -> None:
        got.append(values)

    one, several = Input("b", "n_clicks"), Input({"b": ALL}, "n_clicks")
    system_callback.system_callback(Output("a", "children"), one, several, State("c", "value"))(note)
    system_callback.system_callback(Output("a", "children"), one, Input(ids.SCHEME, "data"))(note)
    token = current_principal.set(bob.principal)
    try:
        with pytest.raises(PreventUpdate):
            called[0][0](None, [None, None], "typed", system.slug)
        called[0][0](None, [None, 1], "typed", system.slug)
        called[1][0](None, "dark", system.slug)
    finally:
        current_principal.reset(token)
    assert got == [(None, [None, 1], "typed"), (None, "dark")]


def test_a_changed_lens_is_written_and_the_same_one_is_not(called: list[Any]) -> None:
    """The function gets the lens first; what it returns goes into the address where it differs."""

    @system_callback.lens_callback(Input("a", "value"))
    def choose(lens: Lens, term: str) -> Lens:
        return lens.but(term=term)

    assert called[0][0]("B", {"term": "A", "find": "x"}) == {"term": "B", "find": "x"}
    assert called[0][0]("A", {"term": "A", "find": "x"}) is no_update
    assert choose(Lens(), "A") == Lens(term="A")
