"""The list of what to measure next, to take away: names, a git command, JSON."""

import json
import shlex
from collections.abc import Sequence

from dash import html

from dashboard.figures.histories_words import is_commit
from dashboard.pages.components import Piece, command
from dashboard.selectors.histories.rows import NextRevision


def export(rows: Sequence[NextRevision]) -> html.Details:
    """The list as texts to copy; a git command only where all revisions are commits."""
    names = [row.revision for row in rows]
    shown: list[Piece] = [_part("Names", "\n".join(names))]
    if all(is_commit(name) for name in names):
        shown.append(
            _part(
                "A git command that shows them",
                shlex.join(["git", "log", "--no-walk=unsorted", "--oneline", *names]),
            )
        )
    found = [
        {"revision": row.revision, "reason": row.reason, "gain": row.gain, "seconds": row.seconds}
        for row in rows
    ]
    shown.append(_part("JSON", json.dumps(found, indent=1, ensure_ascii=False)))
    return html.Details([html.Summary("Take this list away"), *shown], className="export")


def _part(title: str, text: str) -> html.Div:
    return html.Div([html.H3(title, className="small-title"), command(text)])
