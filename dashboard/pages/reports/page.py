"""Reports: frozen views of a system, and the links that show them to others."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import dash_mantine_components as dmc
from dash import ALL, Input, Output, State, ctx, html, no_update
from dash.development.base_component import Component

from dashboard.access import Access, NotFound, Refused, role_refusal
from dashboard.figures.numbers import plural
from dashboard.pages import ids
from dashboard.pages.addresses import REPORTS, address
from dashboard.pages.components.blocks import (
    Content,
    Piece,
    action,
    card,
    command,
    empty_state,
    help_tip,
    link,
    page,
)
from dashboard.pages.components.inputs import select, send_button
from dashboard.pages.components.text import ago, sentence
from dashboard.pages.lens import Lens
from dashboard.pages.reports import writing
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.history_list.stored import is_suite
from dashboard.selectors.performance_models import model_keys
from dashboard.selectors.reports import last_visits, list_reports
from dashboard.selectors.rows import LinkVisit, Report
from dashboard.services.public_address import public_url, reach_warning
from dashboard.services.reports.freezing import delete_report, store_report
from dashboard.services.reports.share_links import create_share_link, revoke_share_link
from dashboard.services.reports.views import freeze_view

# Ids.
LIST = "reports-list"
MESSAGE = "reports-message"
FREEZE = "reports-freeze"
FREEZE_VIEW = "reports-freeze-view"
FREEZE_TITLE = "reports-freeze-title"
FREEZE_MESSAGE = "reports-freeze-message"
LINK_PASSWORD = "reports-link-password"  # noqa: S105 -- the id of an input
_VIEWS = (
    ("influences", "Influences"),
    ("options", "Option"),
    ("workloads", "Workloads"),
    ("what-if", "What-if"),
    ("regions", "Region"),
    ("histories", "History"),
    ("findings", "Findings"),
    ("compare", "Two revisions"),
    ("approaches", "Approaches"),
)
_DAYS = (7, 30, 90)
# Who made a report or a link without an account.
_OPERATOR = "operator"


def layout(access: Access, key: str, lens: Lens) -> html.Article:
    """The reports of a system, and a form for a new one; or, as the key `new`, the page that writes one of several views."""
    if key == "new":
        return writing.layout(access)
    return page(
        "Reports keep what a view shows today",
        "A link shows one report to anyone who holds it, without an account, until it ends or is revoked.",
        html.Div(id=MESSAGE, role="status", className="report-message"),
        html.Div(
            [html.Div(_list(access), id=LIST), html.Div(_form(access, lens))],
            className="reports",
        ),
        actions=[action("Write a report", href=address(access.slug, REPORTS, "new"), quiet=True)],
    )


def _form(access: Access, lens: Lens) -> list[Component]:
    """What makes a report, and what holds for links that the buttons of reports make; off where the role is too small."""
    asked, refusal = lens.settings.get("view", ""), role_refusal(access)
    # The page of a suite's histories begins with the list of what changed in them.
    if asked == "histories" and not lens.settings.get("series") and is_suite(access.system):
        asked = "findings"
    if asked not in dict(_VIEWS):
        asked = "influences" if model_keys(access.system) else "histories"
    freezing = card(
        "Freeze a view",
        select(FREEZE_VIEW, _VIEWS, asked, label="View"),
        dmc.TextInput(
            id=FREEZE_TITLE,
            label="Title",
            placeholder="Its finding, unless you name it",
            inputProps={"maxLength": 200},
            mt="sm",
        ),
        *send_button("Freeze as report", FREEZE, FREEZE_MESSAGE, refusal, mt="md"),
        more=help_tip(
            "The view is frozen for what is selected now: the chips above. Its figures, numbers and the version of "
            "the data are kept; later measurements do not change them.",
            "how-to/share-a-report",
        ),
    )
    links = card(
        "New links",
        dmc.PasswordInput(
            id=LINK_PASSWORD,
            label="Password, if they shall have one",
            description="8 characters at least. Tell it by another way than the link.",
            inputProps={"maxLength": 128, "autoComplete": "new-password"},
            disabled=bool(refusal),
        ),
        html.P(refusal, className="quiet") if refusal else None,
    )
    return [freezing, links]


def _list(access: Access) -> Content:
    visits = last_visits(system=access.system)
    rows = [_report(row, access, visits) for row in list_reports(system=access.system)]
    return rows or empty_state(
        "No report yet",
        "Select what matters on the other pages, then freeze it here. Your team sees it by link.",
    )


def _report(row: Report, access: Access, visits: Mapping[int, Sequence[LinkVisit]]) -> html.Section:
    now, refusal = datetime.now(tz=UTC), role_refusal(access)
    links = []
    for one in row.links.all():
        is_living = one.revoked_at is None and one.expires_at > now
        state = f"{'works until' if is_living else 'ended'} {one.expires_at:%-d %B %Y}"
        if one.revoked_at is not None:
            state = f"revoked {ago(one.revoked_at, now)}"
        password = ", with a password" if one.password else ""
        text = f"Link of {one.created_by or _OPERATOR}{password}, {state}, opened {plural(one.opened_count, 'time')}"
        links.append(
            html.Li(
                [
                    text,
                    _button("Revoke", "revoke", one.pk, refusal) if is_living else None,
                    _visits(visits.get(one.pk, ()), now),
                ]
            )
        )
    newer = ". The system was measured again since" if access.system.data_version > row.data_version else ""
    buttons = [_button(f"Link for {days} days", f"share-{days}", row.pk, refusal) for days in _DAYS]
    sure = _button("Delete it and its links", "delete", row.pk, refusal)
    return card(
        link(row.title, f"/reports/{row.pk}/", target="_blank"),
        html.P(
            f"{dict(_VIEWS).get(row.view, 'Written')}, frozen {ago(row.created_at, now)} by {row.author or _OPERATOR}{newer}.",
            className="quiet",
        ),
        html.Ul(links, className="link-list") if links else None,
        html.Div(
            # What is lost is asked for once more.
            [*buttons, html.Details([html.Summary("Delete"), sure], className="quiet")],
            className="links",
        ),
        wide=True,
    )


def _visits(visits: Sequence[LinkVisit], now: datetime) -> html.Details | None:
    """Who opened a link lately, as far as that is kept."""
    rows = [
        html.Li(f"{ago(one.at, now)}: {one.what}, {one.browser}, from {one.address or 'an unknown address'}")
        for one in visits
    ]
    if not rows:
        return None
    return html.Details([html.Summary("Visits"), html.Ul(rows, className="visit-list")], className="quiet")


def _button(text: str, verb: str, key: int, refusal: str) -> Piece:
    """A button that acts on one report or link."""
    return action(text, id_={"act": verb, "key": key}, look="quiet-button", refusal=refusal)


@system_callback(
    Output(FREEZE_MESSAGE, "children"),
    Output(LIST, "children"),
    Input(FREEZE, "n_clicks"),
    State(FREEZE_VIEW, "value"),
    State(FREEZE_TITLE, "value"),
    State(ids.LENS, "data"),
    prevent_initial_call=True,
)
def freeze(access: Access, _clicks: int | None, view: str, title: str | None, lens: Lens) -> tuple[Any, Any]:
    """Keep the chosen view as a report.

    The list comes with the answer, not after it: Dash asks for `act` anew when buttons come onto the page, and would drop
    the answer to one that was pressed just before.
    """
    try:
        frozen = freeze_view(access=access, view=view, lens=lens.data())
        report_id = store_report(
            access=access, view=view, address=lens.query(), frozen=frozen, title=title or ""
        )
    except (NotFound, Refused) as error:
        return html.P(sentence(error), className="field-error"), no_update
    shown = link("Open it", f"/reports/{report_id}/", target="_blank")
    return html.P([f"Frozen: {frozen.title}. ", shown]), _list(access)


@system_callback(
    Output(MESSAGE, "children"),
    Output(LIST, "children", allow_duplicate=True),
    Output(LINK_PASSWORD, "error"),
    Input({"act": ALL, "key": ALL}, "n_clicks"),
    State(ids.ADDRESS, "href"),
    State(LINK_PASSWORD, "value"),
    prevent_initial_call=True,
)
def act(access: Access, _clicks: list[int | None], href: str, password: str | None) -> tuple[Any, Any, str]:
    """Share or delete a report, or revoke a link; what is wrong with a link stands at the field of its password."""
    verb, key = str(ctx.triggered_id["act"]), int(ctx.triggered_id["key"])
    if verb == "delete":
        delete_report(principal=access.principal, report_id=key)
    elif verb == "revoke":
        revoke_share_link(principal=access.principal, link_id=key)
    if verb in {"delete", "revoke"}:
        return None, _list(access), ""
    days = int(verb.removeprefix("share-"))
    try:
        link, token = create_share_link(
            principal=access.principal, report_id=key, days=days, password=password or ""
        )
    except Refused as error:
        return None, no_update, sentence(error)
    address = public_url(f"/r/{token}/", opened_at=href.partition("/app/")[0])
    text = f"This link works until {link.expires_at:%-d %B %Y}. Copy it now: it is not shown again."
    warning = reach_warning(address)
    note = html.P(warning, className="field-error") if warning else None
    return card("A new link", html.P(text), command(address), note, wide=True), _list(access), ""
