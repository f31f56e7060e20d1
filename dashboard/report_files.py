"""A report as one HTML file that needs no server: figures, numbers and scripts in it, and nothing from elsewhere."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from dashboard.chart_library import whole_library
from dashboard.selectors.reports import ReportSection

_STATIC = Path(__file__).resolve().parent.parent / "static"


def what_ifs_of(sections: Sequence[ReportSection]) -> dict[str, Any] | None:
    """What the script of the what-ifs reads, None where there are none: each model once, and a view of it by section."""
    models: list[dict[str, Any]] = []
    views: list[dict[str, Any] | None] = []
    for one in (section.what_if for section in sections):
        told = None if one is None else asdict(one)
        if told is not None and told["model"] not in models:
            models.append(told["model"])
        views.append(None if told is None else {**told, "model": models.index(told["model"])})
    return {"models": models, "views": views} if models else None


def report_file(context: Mapping[str, Any]) -> str:
    """The file of a report, from what its page is made of.

    It carries a policy of its own: only the scripts within run, by their hashes, and nothing is asked of any server.
    """
    scripts = [_static("report.js")]
    if any(context["figures"]):
        small = context["small_library"]
        scripts.insert(0, _static(small) if small else whole_library())
    if context["what_ifs"]:
        scripts.append(_static("report_what_if.js"))
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    policy = {
        "default-src": "'none'",
        "script-src": " ".join(f"'sha256-{digest}'" for digest in digests),
        # plotly writes style attributes, and makes pictures to save.
        "style-src": "'unsafe-inline'",
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    own = {
        "css": _static("report.css"),
        # Our own scripts and the library's: none of them ends its element.
        "scripts": [mark_safe(script) for script in scripts],  # noqa: S308
        "policy": mark_safe("; ".join(f"{name} {value}" for name, value in policy.items())),  # noqa: S308
    }
    return render_to_string("report_file.html", {**context, **own})


def _static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")
