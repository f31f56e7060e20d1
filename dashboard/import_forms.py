"""The forms of the import pages: formats, settings and the table of columns, as templates show them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dashboard.importers.errors import InvalidBundle, InvalidSetting
from dashboard.importers.preview import propose_mapping
from dashboard.importers.registry import FORMATS, Format
from dashboard.importers.settings import ImportSettings

Posted = Mapping[str, Any]
_ARGUMENT = re.compile(r"--([a-z]+(?:-[a-z]+)*)")
# One sentence for a person who chooses, and the document that says more.
_ABOUT = {
    "benchmarks": (
        "What pytest-benchmark, Google Benchmark, hyperfine, JMH, go test, wrk and forty others write.",
        "how-to/import-benchmark-results.md",
    ),
    "profile": (
        "What a profiler wrote of one run: which function took how much.",
        "how-to/import-a-profile.md",
    ),
    "csv": ("One row for each measurement, whatever the columns are called.", "how-to/import-csv.md"),
    "spl-conqueror": (
        "A zip of a folder with measurements, and the feature model beside them.",
        "how-to/import-options-and-releases.md",
    ),
    "tef": (
        "One trace, or a zip of traces with a table of their configurations.",
        "how-to/import-trace-events.md",
    ),
    "asv": ("A zip of the folder that asv calls results_dir.", "how-to/import-asv-results.md"),
    "feature-model": (
        "One file in XML: what can be configured, and how.",
        "how-to/import-a-feature-model.md",
    ),
    "comprex": ("A zip of the folder: regions, formulas, runs.", "how-to/import-a-comprex-bundle.md"),
    "bundle": ("What an export of Perfatlas wrote.", "reference/perfatlas-bundle.md"),
}
# The choice that leaves the format to the content.
TOLD = "told"
_ROLES = (
    ("ignore", "leave out"),
    ("option", "option"),
    ("metric", "measured value"),
    ("revision", "revision"),
    ("repetition", "repetition"),
    ("workload", "workload"),
    ("environment", "environment"),
    ("benchmark", "benchmark"),
    ("quantity", "name of the quantity"),
    ("unit", "unit of the value"),
    ("value", "value beside its quantity"),
)
_SHOWN_ROWS = 5


def choices() -> list[dict[str, str]]:
    """The formats, those first that people have by themselves."""
    names = [*_ABOUT, *(name for name in FORMATS if name not in _ABOUT)]
    sentence = "Most files tell it: the next page shows which it is, and what would come in."
    found = [{"name": TOLD, "title": "The content tells the format", "about": sentence, "document": ""}]
    for name in names:
        sentence, document = _ABOUT.get(name, ("", ""))
        found.append({"name": name, "title": FORMATS[name].title, "about": sentence, "document": document})
    return found


def settings_fields(file_format: Format, posted: Posted, wrong: str) -> list[dict[str, str]]:
    """An input for each setting of a format but the mapping; `wrong` is the one that was refused."""
    return [
        {
            "name": setting.name,
            "label": _label(setting.name),
            "hint": setting.metavar,
            "help": setting.help,
            "value": str(posted.get(f"set-{setting.name}", "")),
            "wrong": "wrong" if setting.name == wrong else "",
        }
        for setting in file_format.settings
        if setting.name != "map"
    ]


def entered(file_format: Format, posted: Posted) -> ImportSettings:
    """The settings that were filled in; several values of one are separated by semicolons."""
    found: dict[str, tuple[str, ...]] = {}
    for setting in file_format.settings:
        text = str(posted.get(f"set-{setting.name}", "")).strip()
        values = text.split(";") if setting.repeatable else [text]
        if any(value.strip() for value in values):
            found[setting.name] = tuple(value.strip() for value in values if value.strip())
    return found


def mapping_form(path: Path, given: ImportSettings, posted: Posted) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The columns of a CSV file with their inputs and its first rows, and its mapping: as proposed, or as it was chosen.

    Raises `ImporterError`.
    """
    dialect, roles = propose_mapping(path=path, given=given)
    is_posted = "start" in posted or "check" in posted
    columns, mapping = [], []
    for place, (name, role) in enumerate(zip(dialect.header, roles, strict=True)):
        samples = list(dict.fromkeys(dialect.cells(place)))[:4]
        proposed = {"role": role.kind, "quantity": role.quantity, "unit": role.unit, "better": role.better}
        values = posted if is_posted else {f"{key}-{place}": value for key, value in proposed.items()}
        kind = str(values.get(f"role-{place}", "ignore"))
        columns.append(
            {
                "place": place,
                "name": name,
                "samples": ", ".join(sample[:24] for sample in samples if sample),
                "roles": [{"kind": one, "words": words, "chosen": one == kind} for one, words in _ROLES],
                "quantity": str(values.get(f"quantity-{place}", "")),
                "unit": str(values.get(f"unit-{place}", "")),
                "higher": values.get(f"better-{place}") == "higher",
                "error": "",
            }
        )
        if not is_posted:
            mapping.append(f"{name}={role}")
        elif name:
            mapping.append(f"{name}={_chosen(posted, place)}")
    rows = dialect.sample[:_SHOWN_ROWS]
    return {"columns": columns, "rows": rows, "dialect": dialect}, tuple(mapping)


def _chosen(posted: Posted, place: int) -> str:
    kind = str(posted.get(f"role-{place}", "ignore"))
    unit = str(posted.get(f"unit-{place}", "")).strip()
    if kind == "value":
        return f"value:{unit}" if unit else kind
    if kind != "metric":
        return kind
    quantity = str(posted.get(f"quantity-{place}", "")).strip().replace(":", " ")
    return ":".join(["metric", quantity, unit, str(posted.get(f"better-{place}", "lower"))])


def mark_faults(table: dict[str, Any] | None, error: InvalidBundle) -> None:
    """Tell each column of the table its first fault."""
    faults = {fault.column: str(fault) for fault in reversed(error.faults)}
    for column in table["columns"] if table else ():
        column["error"] = faults.get(column["name"], "")


def mark_role(table: dict[str, Any] | None, error: InvalidSetting) -> str:
    """Tell the column whose role was refused; its name, or blank where the error is of no column."""
    wrong = error.value.rpartition("=")[0]
    for column in table["columns"] if table and error.setting == "map" else ():
        if wrong and column["name"] == wrong:
            column["error"] = f"{error.problem[:1].upper()}{error.problem[1:]}."
            return wrong
    return ""


def in_the_form(text: str) -> str:
    """`text` with arguments of the command as fields of the form: `--time-unit` becomes “Time unit”."""
    return _ARGUMENT.sub(lambda found: f"“{_label(found[1])}”", text)


def _label(name: str) -> str:
    return "What each column holds" if name == "map" else name.replace("-", " ").capitalize()
