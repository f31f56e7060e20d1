"""An analysis as it lies in the database, of a program of two functions: no run is made."""

import json
from typing import Any

from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, Revision, System, WhiteBoxAnalysis, Workload
from dashboard.selectors.whitebox.analyses import seen_region, white_box_detail
from dashboard.selectors.whitebox.rows import RegionAnalysis

MAIN, FOO = "tiny:main", "tiny:foo"


def site(region: str, line: int, kind: str, text: str, **more: Any) -> dict[str, Any]:
    """A place in tiny.py; `data` and `control` are the options that were seen."""
    known: dict[str, Any] = {"column": 4, "writes": "", "reads": [], "data": [], "control": []}
    return {"region": region, "file": "tiny.py", "line": line, "kind": kind, "text": text, **known, **more}


def flow(place: str, *options: str, called: str = "", **more: Any) -> dict[str, Any]:
    """What came to a step from the one at `place` of main; from outside where that is empty."""
    return {"called": called, "place": place and f"{MAIN} {place}", "caller": "", "options": options, **more}


# A decides in main; B gets to foo by a call, which runs only where A is on; nothing reads C.
SITES = [
    site(
        MAIN,
        2,
        "assignment",
        'b = options["B"]',
        writes="tiny:main:b",
        reads=["['B']"],
        data=["B"],
        earlier=[flow("", "B")],
    ),
    site(MAIN, 3, "if", 'if options["A"]:', reads=["['A']"], data=["A"], earlier=[flow("", "A")]),
    site(
        MAIN,
        4,
        "call",
        "foo(b)",
        writes="foo()",
        reads=["b"],
        data=["A", "B", "C"],
        earlier=[flow("2:4:assignment", "B")],
    ),
    site(
        FOO,
        8,
        "if",
        "if x:",
        reads=["x"],
        data=["B"],
        control=["A"],
        earlier=[
            flow("4:4:call", "B", called=f"{MAIN} 4"),
            flow("3:4:if", "A", called=f"{MAIN} 4", decided=True),
        ],
    ),
]
# As earlier releases noted them.
WITHOUT_STEPS = [{name: value for name, value in one.items() if name != "earlier"} for one in SITES]


def found(**more: Any) -> dict[str, Any]:
    """What three traced runs said, one of which failed."""
    runs = [
        {"levels": {"A": "off", "B": "off"}, "status": "ok", "message": "", "place": "", "seconds": 0.5},
        {"levels": {"A": "on", "B": "off"}, "status": "ok", "message": "", "place": "", "seconds": 0.25},
        {
            "levels": {"A": "on", "B": "on"},
            "status": "failed",
            "message": "ValueError: B is broken",
            "place": "tiny.py:9",
            "seconds": 0.25,
        },
    ]
    return {
        "runs": runs,
        "decisions": [[MAIN, "tiny.py:3:4", ["A"], {}], [FOO, "tiny.py:8:4", ["B"], {"A": "on"}]],
        "sites": SITES,
        "unfollowed": {"zlib.compress": 3, "re.compile": 7},
        "cut": False,
        "partitions": {MAIN: [["!A", "A"]], FOO: [["!A", "A & !B", "A & B"]]},
        "options": ["A", "B", "C"],
    } | more


def region_of(system: System, name: str) -> RegionAnalysis:
    """A region that the newest analysis of a system saw."""
    analysis = white_box_detail(system=system)
    assert analysis is not None
    return seen_region(analysis, name)


def stored_analysis(
    system: System, revision: str = "1.0", workload: str = "regular", **more: Any
) -> WhiteBoxAnalysis:
    """The analysis of a revision of a system, by default of the system `small`; `more` replaces what was found."""
    batch = Batch.objects.create(
        system=system,
        format="analyze",
        digest=f"analysis {WhiteBoxAnalysis.objects.count()}",
        state=Batch.State.VISIBLE,
    )
    return WhiteBoxAnalysis.objects.create(
        system=system,
        batch=batch,
        revision=Revision.objects.get(system=system, name=revision),
        workload=Workload.objects.get(system=system, name=workload),
        result=WhiteBoxResult.model_validate_json(json.dumps(found(**more))),
    )


def change_stored(analysis: WhiteBoxAnalysis, **changes: Any) -> None:
    """Write other values into the result of a stored analysis, as a run of its job does: under another version."""
    analysis.result = analysis.result.model_copy(update=changes)
    analysis.data_version += 1
    analysis.save()
