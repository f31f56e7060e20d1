"""The form that starts a measurement: what can be chosen."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from analytics.repetitions import USUAL_RULE
from dashboard.access import Access, role_refusal
from dashboard.pages.components.blocks import Piece, action, card, code, command, help_tip
from dashboard.pages.components.inputs import LISTED, revision_choices, revision_select, select, whole_number
from dashboard.pages.lens import Lens
from dashboard.pages.measure import ids as own
from dashboard.pages.measure.request import ANALYSIS, AS_NEEDED, CHOSEN, EVERY, FIXED, OVER, RANGE, WRITTEN
from dashboard.pages.measure.start import outcome
from dashboard.selectors.machines import MachineChoice, able_machines
from dashboard.selectors.measuring.rows import SubjectRow
from dashboard.selectors.whitebox.analyses import analyzed_revisions

_CONFIGURATIONS = (
    ("default", "The default one"),
    ("feature-wise", "Each option alone (feature-wise)"),
    ("pair-wise", "Each pair of options (pair-wise)"),
    ("plackett-burman", "A Plackett-Burman design"),
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
_REPEATING = (
    (AS_NEEDED, "As needed"),
    (FIXED, "A fixed number"),
)


def panel(access: Access, subject: SubjectRow | None, lens: Lens, *, again: bool) -> html.Section:
    """The form for a registered subject, whose runs are made `again` where there are some; how to register one."""
    if subject is None:
        kind: list[Piece] = [
            "No subject is registered for this system on this machine. A subject is a folder with ",
            code("subject.toml"),
            "; it says where revisions come from, which options there are and what to run.",
        ]
        return card(
            "Start a measurement",
            html.P(kind),
            html.P("To measure is to run code, so a person at the terminal registers it:"),
            command(f".venv/bin/python manage.py register FOLDER --system {access.slug}"),
        )
    # For a system that was measured before, perhaps elsewhere: a small selection to compare with.
    preset = action(
        "Measure again here: a small selection",
        id_=own.PRESET,
        look="quiet-button",
        title="The default configuration and the two options that matter most, on the newest revision",
    )
    return card(
        "Start a measurement",
        html.Div(preset, className="preset") if again else None,
        _configurations(subject, lens, analyzed_revisions(access.system)),
        _revisions(subject, lens.revision),
        _rest(subject),
        _machines(able_machines(system=access.system)),
        outcome(role_refusal(access)),
        more=help_tip(
            "Each run is a fresh process of the subject's own environment, in random order, repetitions spread over "
            "the whole time. Only subjects registered at the terminal can be measured.",
            "how-to/track-what-runs",
        ),
    )


def _configurations(subject: SubjectRow, lens: Lens, analyzed: tuple[str, ...]) -> html.Div:
    names = [option.name for option in subject.options]
    # The options of the selected term.
    selected = [part.partition("=")[0] for part in lens.term.split("*")]
    options = [name for name in selected if name in names]
    example = ",".join(f"{option.name}={option.levels[-1]}" for option in subject.options[:2])
    choices = [one for one in _CONFIGURATIONS if analyzed or one[0] != ANALYSIS]
    return html.Div(
        [
            select(
                own.FORM["configurations"], choices, OVER if options else "default", label="Configurations"
            ),
            # Whose analysis: that of the revision that was analyzed last, or of another one.
            revision_select(
                own.FORM["analysis"],
                analyzed,
                next(iter(analyzed), None),
                allowDeselect=False,
                **_named("Analysis of revision"),
            ),
            dmc.MultiSelect(
                id=own.FORM["options"],
                data=names,
                value=options,
                searchable=True,
                placeholder="Options",
                **_named("Options that vary"),
            ),
            dmc.Textarea(
                id=own.FORM["written"],
                placeholder=f"One a line:\ndefault\n{example}",
                autosize=True,
                minRows=3,
                debounce=400,
                **_named("Configurations, one a line"),
            ),
        ],
        className="form-part",
    )


def _revisions(subject: SubjectRow, asked: str) -> html.Div:
    names = list(reversed(subject.revisions))
    branches = [{"value": name, "label": f"{branch} (unmerged)"} for branch, name, _ in subject.branches]
    # A branch is measured beside what it left, so that their runs alternate.
    sides = {name: [name, base] for _, name, base in subject.branches}
    chosen = sides.get(asked, [asked] if asked in names else [])
    newest, oldest = (names[0], names[-1]) if names else (None, None)
    ends = [
        revision_select(own.FORM["first"], names, oldest, label="From"),
        revision_select(own.FORM["last"], names, newest, label="To"),
    ]
    return html.Div(
        [
            select(own.FORM["revisions"], _REVISIONS, CHOSEN if chosen else "latest", label="Revisions"),
            whole_number(own.FORM["every"], 5, debounce=300, **_named("Every how many revisions")),
            dmc.Group(ends, id=own.ENDS, grow=True, mt="xs"),
            dmc.MultiSelect(
                id=own.FORM["chosen"],
                data=[*branches, *revision_choices(names)],
                value=chosen,
                searchable=True,
                limit=LISTED,
                placeholder="Revisions",
                **_named("Revisions to measure"),
            ),
        ],
        className="form-part",
    )


def _rest(subject: SubjectRow) -> html.Div:
    """How often on what, and what besides the times is noted."""
    profiling, counting = None, "One more run of each configuration: counts have no noise."
    if not subject.can_profile:
        profiling = "This subject is a command: it is timed as a whole."
    if not subject.can_count:
        counting = "Only the regions of a callable have counters."
    elif subject.counts_functions:
        counting = "One more run of each configuration, of a build with counters in every function."
    elif not subject.can_profile:
        counting = (
            "One more run of each configuration counts instructions; callgrind takes 10 to 60 times as long."
        )
    elif subject.counts is None:
        counting = "One more run of each configuration. Until it is switched, subject.toml decides."
    runs = [
        select(own.FORM["repeating"], _REPEATING, AS_NEEDED, label="Repetitions"),
        select(own.FORM["workload"], subject.workloads, "regular", label="Workload"),
    ]
    return html.Div(
        [
            dmc.Group(runs, grow=True, align="start"),
            *_repetitions(),
            dmc.Switch(
                id=own.FORM["profile"],
                label="Profile functions",
                description=profiling,
                checked=subject.can_profile,
                disabled=not subject.can_profile,
                mt="sm",
            ),
            dmc.Switch(
                id=own.FORM["counts"],
                label=f"Count {'functions' if subject.counts_functions else 'decisions' if subject.can_profile else 'instructions'}",
                description=counting,
                checked=subject.counts if subject.can_count else False,
                disabled=not subject.can_count,
                mt="sm",
            ),
        ],
        className="form-part",
    )


def _machines(able: Sequence[MachineChoice]) -> html.Div:
    """Where it is measured: hidden while there is nothing but this server."""
    names: dict[str, list[str]] = defaultdict(list)
    for one in able:
        names[one.environment].append(f"{one.machine} ({one.absence})" if one.absence else one.machine)
    choices = [("", "This server"), *((digest, " or ".join(found)) for digest, found in names.items())]
    about = {one.environment: one.environment_name for one in able}
    return html.Div(
        select(
            own.FORM["environment"],
            choices,
            "",
            label="Machine",
            description="; ".join(f"{' or '.join(names[digest])}: {name}" for digest, name in about.items()),
            mt="sm",
        ),
        className="form-part",
        style={} if able else {"display": "none"},
    )


def _repetitions() -> list[Piece]:
    """How often at most and how narrow where that is as needed; else how often."""
    as_needed = [
        whole_number(own.FORM["most"], USUAL_RULE.most, label="At most", debounce=300),
        dmc.NumberInput(
            id=own.FORM["half_width"],
            value=100 * USUAL_RULE.half_width,
            min=0.1,
            suffix=" %",
            label="Known to ±",
            debounce=300,
        ),
    ]
    return [
        dmc.Group(as_needed, id=own.AS_NEEDED, grow=True, align="start", mt="xs"),
        whole_number(own.FORM["repetitions"], 5, debounce=300, **_named("How many repetitions")),
    ]


def _named(name: str) -> Any:
    """The name of an input that shows no label, and its distance from the one above."""
    return {"aria-label": name, "mt": "xs"}
