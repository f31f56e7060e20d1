"""The form that starts a measurement: what can be chosen."""

from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.access import access_to, acting
from dashboard.pages.components import card, code, command, help_tip
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.pages.measure import start as measure_start
from dashboard.pages.measure.request import ANALYSIS, CHOSEN, EVERY, OVER, RANGE, WRITTEN
from dashboard.selectors.measuring.rows import MeasuringStatus, SubjectRow
from dashboard.selectors.whitebox.analyses import analyzed_revisions

# More entries than these are found by typing.
_LISTED = 200
_CONFIGURATIONS = (
    ("default", "The default one"),
    ("feature-wise", "Each option alone (feature-wise)"),
    ("pair-wise", "Each pair of options (pair-wise)"),
    (ANALYSIS, "Those that the analysis traced"),
    (OVER, "All over chosen options"),
    (WRITTEN, "Written out"),
)
_REVISIONS = (
    ("latest", "The newest"),
    (EVERY, "Every nth, back from the newest"),
    (RANGE, "From one to another"),
    (CHOSEN, "Chosen ones"),
    ("all", "All"),
)


def panel(measuring: MeasuringStatus, lens: Lens) -> html.Section:
    """The form for a registered subject; how to register one where there is none."""
    if measuring.subject is None:
        return _unregistered(measuring)
    subject = measuring.subject
    # The options of the selected term.
    selected = [part.partition("=")[0] for part in lens.term.split("*") if part]
    options = [name for name in selected if name in {option.name for option in subject.options}]
    preset = html.Button(
        "Measure again here: a small selection",
        id=own.PRESET,
        type="button",
        title="The default configuration and the two options that matter most, on the newest revision",
        className="quiet-button",
    )
    chosen = [lens.revision] if lens.revision in subject.revisions else []
    return card(
        "Start a measurement",
        # For a system that was measured before, perhaps elsewhere: a small selection to compare with.
        html.Div(preset, className="preset") if measuring.runs else None,
        _configurations(subject, options, analyzed_revisions(access_to(acting(), measuring.slug).system)),
        _revisions(subject, chosen),
        _rest(subject),
        measure_start.outcome(measuring),
        more=help_tip(
            "Each run is a fresh process of the subject's own environment, in random order, repetitions spread over "
            "the whole time. Only subjects registered at the terminal can be measured.",
            "how-to/track-what-runs",
        ),
    )


def _unregistered(measuring: MeasuringStatus) -> html.Section:
    return card(
        "Start a measurement",
        html.P(
            [
                "No subject is registered for this system on this machine. A subject is a folder with ",
                code("subject.toml"),
                "; it says where revisions come from, which options there are and what to run.",
            ]
        ),
        html.P("To measure is to run code, so a person at the terminal registers it:"),
        command(f".venv/bin/python manage.py register FOLDER --system {measuring.slug}"),
    )


def _configurations(subject: SubjectRow, options: list[str], analyzed: tuple[str, ...]) -> html.Div:
    example = ",".join(f"{option.name}={option.levels[-1]}" for option in subject.options[:2])
    return html.Div(
        [
            dmc.Select(
                id=own.CONFIGURATIONS,
                label="Configurations",
                data=_choices(tuple(one for one in _CONFIGURATIONS if analyzed or one[0] != ANALYSIS)),
                value=OVER if options else "default",
                allowDeselect=False,
            ),
            # Whose analysis: that of the revision that was analyzed last, or of another one.
            dmc.Select(
                id=own.TRACED_AT,
                data=list(analyzed),
                value=next(iter(analyzed), None),
                allowDeselect=False,
                searchable=True,
                limit=_LISTED,
                **_named("Analysis of revision"),
            ),
            dmc.MultiSelect(
                id=own.OPTIONS,
                data=[option.name for option in subject.options],
                value=options,
                searchable=True,
                placeholder="Options",
                **_named("Options that vary"),
            ),
            dmc.Textarea(
                id=own.WRITTEN,
                placeholder=f"One a line:\ndefault\n{example}",
                autosize=True,
                minRows=3,
                debounce=400,
                **_named("Configurations, one a line"),
            ),
        ],
        className="form-part",
    )


def _revisions(subject: SubjectRow, chosen: list[str]) -> html.Div:
    names = list(reversed(subject.revisions))
    return html.Div(
        [
            dmc.Select(
                id=own.REVISIONS,
                label="Revisions",
                data=_choices(_REVISIONS),
                value=CHOSEN if chosen else "latest",
                allowDeselect=False,
            ),
            dmc.NumberInput(
                id=own.EVERY,
                value=5,
                min=1,
                allowDecimal=False,
                debounce=300,
                **_named("Every how many revisions"),
            ),
            _ends(names),
            dmc.MultiSelect(
                id=own.CHOSEN,
                data=names,
                value=chosen,
                searchable=True,
                limit=_LISTED,
                placeholder="Revisions",
                **_named("Revisions to measure"),
            ),
        ],
        className="form-part",
    )


def _ends(names: list[str]) -> dmc.Group:
    """From the oldest to the newest of the revisions `names`, the newest first."""
    ends: list[tuple[str, str, str | None]] = [
        (own.FIRST, "From", names[-1] if names else None),
        (own.LAST, "To", names[0] if names else None),
    ]
    return dmc.Group(
        [
            dmc.Select(id=id_, label=label, data=names, value=value, searchable=True, limit=_LISTED)
            for id_, label, value in ends
        ],
        id=own.ENDS,
        grow=True,
        mt="xs",
    )


def _rest(subject: SubjectRow) -> html.Div:
    return html.Div(
        [
            dmc.Group(
                [
                    dmc.NumberInput(
                        id=own.REPETITIONS,
                        label="Repetitions",
                        value=5,
                        min=1,
                        allowDecimal=False,
                        debounce=300,
                    ),
                    dmc.Select(
                        id=own.WORKLOAD,
                        label="Workload",
                        data=list(subject.workloads),
                        value="regular",
                        allowDeselect=False,
                    ),
                ],
                grow=True,
                align="start",
            ),
            dmc.Switch(
                id=own.PROFILE,
                label="Profile functions",
                description=None
                if subject.can_profile
                else "This subject is a command: it is timed as a whole.",
                checked=subject.can_profile,
                disabled=not subject.can_profile,
                mt="sm",
            ),
            _counts(subject),
        ],
        className="form-part",
    )


def _counts(subject: SubjectRow) -> dmc.Switch:
    if not subject.can_count:
        description = "Only the regions of a callable have counters."
    elif subject.counts is None:
        description = "One more run of each configuration. Until it is switched, subject.toml decides."
    else:
        description = "One more run of each configuration: counts have no noise."
    return dmc.Switch(
        id=own.COUNTS,
        label="Count decisions",
        description=description,
        checked=subject.counts if subject.can_count else False,
        disabled=not subject.can_count,
        mt="sm",
    )


def _choices(pairs: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"value": value, "label": label} for value, label in pairs]


def _named(name: str) -> Any:
    """The name of an input that shows no label, and its distance from the one above."""
    return {"aria-label": name, "mt": "xs"}
