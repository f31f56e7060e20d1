"""Reads `subject.toml`; a file with faults is refused with all of them at once."""

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field, JsonValue

from .errors import SubjectInvalid
from .faults import SubjectFaults
from .subject_checks import REGULAR, check_subject, forbidden_assignments
from .subjects import (
    ConstraintDeclaration,
    Counting,
    EntryPoint,
    GitRevisions,
    Install,
    Limits,
    OptionDeclaration,
    Package,
    Revisions,
    SandboxSettings,
    SubjectDefinition,
    Text,
    WhiteBoxSettings,
)

FILE_NAME = "subject.toml"
KEYS = (
    "name", "description", "regions", "revisions", "install", "options", "constraints", "workloads", "entry", "limits", "analysis",
    "counts", "sandbox",
)  # fmt: skip
# Tables that may be left out.
_SECTIONS = {"install": Install, "limits": Limits, "analysis": WhiteBoxSettings, "sandbox": SandboxSettings}
_IGNORED = {
    "__pycache__", ".git", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".tox", ".nox", ".venv", "venv",
    "node_modules",
}  # fmt: skip


def load_subject(folder: Path) -> SubjectDefinition:
    """Return the subject in `folder`; raises `SubjectInvalid` with every fault of its `subject.toml`."""
    folder = folder.resolve()
    file = folder / FILE_NAME
    faults = SubjectFaults(file)
    table = _table(file, faults)
    parts = _parts(table, faults) if not faults.found else {}
    if parts:
        check_subject(folder, table, parts, faults)
    if faults.found:
        raise SubjectInvalid(tuple(faults.found))
    return SubjectDefinition(
        folder=folder,
        digest=folder_digest(folder, without=checkout_of(folder, parts["revisions"])),
        forbidden=forbidden_assignments(parts["constraints"], parts["options"]),
        **{key: value for key, value in parts.items() if key != "constraints"},
    )


def checkout_of(folder: Path, revisions: Revisions) -> Path | None:
    """Return the place of a git checkout that is a folder of a subject's own; None where its revisions lie elsewhere.

    It may be dirty, or gone: what is measured comes from its commits.
    """
    if not isinstance(revisions, GitRevisions) or ":" in revisions.repository:
        return None
    place = (folder / revisions.repository).resolve()
    return place if folder in place.parents else None


def folder_digest(folder: Path, *, without: Path | None = None) -> str:
    """Return the `files_digest` of the files in `folder` that `content` yields."""
    return files_digest((str(path.relative_to(folder)), path) for path in content(folder, without=without))


def files_digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return the SHA-256 over names and content of `files`, in this order, as hex."""
    digest = hashlib.sha256()
    for name, path in files:
        digest.update(f"{name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def content(folder: Path, *, without: Path | None = None) -> Iterator[Path]:
    """Return the files in `folder` in a fixed order; caches, environments, .git and `without` are left out."""
    for path in sorted(folder.rglob("*")):
        if without is not None and without in path.parents:
            continue
        if path.is_file() and not _IGNORED.intersection(path.relative_to(folder).parts):
            yield path


def _table(file: Path, faults: SubjectFaults) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        faults.add(FILE_NAME, None, "is missing", "a subject is a folder with a file of this name")
    except OSError as error:
        faults.add(FILE_NAME, None, f"cannot be read ({error.strerror})", "make it readable")
    except UnicodeDecodeError as error:
        faults.add(FILE_NAME, None, f"is not UTF-8 (byte {error.start})", "save it as UTF-8")
    except tomllib.TOMLDecodeError as error:
        faults.add(FILE_NAME, None, f"is not TOML: {error}", "mend the line that is named")
    return {}


def _parts(table: dict[str, Any], faults: SubjectFaults) -> dict[str, Any]:
    """Return the sections that are well-formed; each is read by itself, so that no fault hides another."""
    for key, value in table.items():
        if key not in KEYS:
            faults.unknown(key, value, key, KEYS)
    for key in (one for one in ("name", "entry") if one not in table):
        faults.add(key, None, "is missing", "add it; the reference of subject.toml has an example")
    # Counting a command takes long, so somebody has to want it: a table says how, and that it is to be.
    counts = table.get("counts", not isinstance(table.get("entry"), dict) or "command" not in table["entry"])
    parts: dict[str, Any] = {
        "name": faults.section("name", Text, table.get("name", "?")),
        "description": faults.section("description", str, table.get("description", "")),
        "regions": faults.section("regions", tuple[Package, ...], table.get("regions", [])),
        "counts": isinstance(counts, dict) or faults.section("counts", bool, counts),
        "counting": faults.section("counts", Counting, counts if isinstance(counts, dict) else {}),
        **{key: faults.section(key, kind, table.get(key, {})) for key, kind in _SECTIONS.items()},
        "entry": faults.section("entry", EntryPoint, table["entry"]) if "entry" in table else None,
        "revisions": _revisions(table.get("revisions", {"source": "folder"}), faults),
    }
    parts["options"] = {}
    for name, one in _tables("options", table, faults).items():
        # A list stands for an option that has its levels alone.
        given = {"levels": one} if isinstance(one, list) else one
        parts["options"][name] = faults.section(f"options.{name}", OptionDeclaration, given)
    workloads = _tables("workloads", table, faults) if "workloads" in table else {REGULAR: {}}
    parts["workloads"] = {
        name: faults.section(f"workloads.{name}", dict[str, JsonValue], one)
        for name, one in workloads.items()
    }
    constraints = table.get("constraints", [])
    if not isinstance(constraints, list):
        faults.add(
            "constraints", constraints, "is not a list of tables", "write each one under [[constraints]]"
        )
        constraints = []
    parts["constraints"] = [
        faults.section(f"constraints[{at}]", ConstraintDeclaration, constraint)
        for at, constraint in enumerate(constraints)
    ]
    return parts


def _revisions(value: object, faults: SubjectFaults) -> Any:
    source = value.get("source") if isinstance(value, dict) else None
    known = next(
        (tuple(kind.model_fields) for kind in get_args(Revisions)
         if get_args(kind.model_fields["source"].annotation) == (source,)), ("source",),
    )  # fmt: skip
    return faults.section(
        "revisions", Annotated[Revisions, Field(discriminator="source")], value, known=known
    )


def _tables(key: str, table: dict[str, Any], faults: SubjectFaults) -> dict[str, Any]:
    value = table.get(key, {})
    if isinstance(value, dict):
        return value
    faults.add(key, value, "is not a table", f"write each one under [{key}.name]")
    return {}
