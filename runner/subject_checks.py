"""What the sections of a `subject.toml` have to say to each other."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from analytics.configurations.options import level_text

from .commands import ALL_OPTIONS, BUILD_PLACES, PLACES, TemplateInvalid, known_placeholders, placeholders
from .faults import SubjectFaults
from .subjects import (
    ConstraintDeclaration,
    EntryPoint,
    FolderRevisions,
    Install,
    Level,
    OptionDeclaration,
    ReleaseRevisions,
    WhiteBoxSettings,
)

_OPTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
REGULAR = "regular"
RESERVED = {*PLACES, "options", "only"}


def check_subject(
    folder: Path, table: Mapping[str, Any], parts: Mapping[str, Any], faults: SubjectFaults
) -> None:
    """Note every fault that lies between well-formed sections; sections that are None have their own faults."""
    options = {name: option for name, option in parts["options"].items() if option is not None}
    for name, option in options.items():
        _check_option(name, option, faults)
    for at, constraint in enumerate(parts["constraints"]):
        if constraint is not None:
            _check_constraint(f"constraints[{at}]", constraint, parts["options"], faults)
    if "workloads" in table and REGULAR not in parts["workloads"]:
        faults.add(
            "workloads.regular", None, "is missing", "add a table [workloads.regular], it may be empty"
        )
    if isinstance(parts["revisions"], FolderRevisions) and not (folder / parts["revisions"].path).is_dir():
        path = parts["revisions"].path
        faults.add("revisions.path", path, "is not a folder", "write a path relative to the subject's folder")
    if parts["install"] is not None:
        _check_install(parts["install"], parts["revisions"], faults)
        if parts["counting"] is not None and parts["counting"].tool == "gcov":
            _check_counting(parts["install"], parts["entry"], parts["revisions"], faults)
    _check_readable(() if parts["sandbox"] is None else parts["sandbox"].readable, faults)
    if parts["analysis"] is not None:
        _check_analysis(parts["analysis"], parts["options"], faults)
    if parts["entry"] is not None:
        _check_entry(folder, parts["entry"], parts["regions"], faults)
        workloads = [parameters for parameters in parts["workloads"].values() if parameters is not None]
        _check_templates(
            parts["entry"], options, known_placeholders(list(parts["options"]), workloads), faults
        )


def forbidden_assignments(
    constraints: Sequence[ConstraintDeclaration], options: Mapping[str, OptionDeclaration]
) -> tuple[dict[str, Level], ...]:
    """Return `constraints` as partial assignments, none of which a valid configuration contains."""
    forbidden: list[dict[str, Level]] = []
    for constraint in constraints:
        if constraint.forbidden is not None:
            forbidden.append(dict(constraint.forbidden))
        condition = constraint.condition or {}
        forbidden.extend({**condition, name: level} for name, level in (constraint.excludes or {}).items())
        forbidden.extend(
            {**condition, name: other}
            for name, level in (constraint.requires or {}).items()
            for other in options[name].levels
            if other != level
        )
    return tuple(forbidden)


def _check_option(name: str, option: OptionDeclaration, faults: SubjectFaults) -> None:
    key = f"options.{name}"
    texts = [level_text(level) for level in option.levels]
    if not _OPTION_NAME.fullmatch(name):
        faults.add(key, name, "is not a name", "use letters, digits, _ and -, with a letter first")
    if name in RESERVED:
        faults.add(key, name, "is a word of selections and commands", "give the option another name")
    if len(texts) < 2:
        faults.add(f"{key}.levels", list(option.levels), "are too few", "write at least two levels")
    if len({*texts}) < len(texts) or len({*option.levels}) < len(texts):
        faults.add(f"{key}.levels", list(option.levels), "has a level twice", "write each level once")
    if option.reference is not None and option.reference not in option.levels:
        remedy = f"write one of {', '.join(texts)}"
        faults.add(f"{key}.reference", option.reference, "is not one of the levels", remedy)
    if isinstance(option.arguments, dict):
        for level in option.arguments:
            if level not in texts:
                remedy = f"write one of {', '.join(texts)}"
                faults.add(f"{key}.arguments.{level}", level, "is not one of the levels", remedy)
        return
    for word in option.arguments:
        _check_word(f"{key}.arguments", word, frozenset({"level"}), faults)


def _check_constraint(
    key: str,
    constraint: ConstraintDeclaration,
    options: Mapping[str, OptionDeclaration | None],
    faults: SubjectFaults,
) -> None:
    with_if = constraint.requires is not None or constraint.excludes is not None
    if (constraint.forbidden is not None) == with_if or with_if != (constraint.condition is not None):
        faults.add(
            key, None, "says nothing", "write forbidden = {...}, or if = {...} with requires or excludes"
        )
    for field in ("forbidden", "condition", "requires", "excludes"):
        for name, level in (getattr(constraint, field) or {}).items():
            place = f"{key}.{'if' if field == 'condition' else field}.{name}"
            if name not in options:
                faults.add(place, level, "is not an option", f"known are {', '.join(options) or 'none'}")
                continue
            option = options[name]
            if option is not None and level not in option.levels:
                texts = ", ".join(level_text(known) for known in option.levels)
                faults.add(place, level, "is not one of the option's levels", f"write one of {texts}")


def _check_readable(names: Sequence[str], faults: SubjectFaults) -> None:
    for name in names:
        if not Path(name).is_absolute() or Path(name) == Path("/"):
            remedy = "write the whole path of a folder or a file that runs and builds need"
            faults.add("sandbox.readable", name, "is not the whole path of one place", remedy)
        elif not Path(name).exists():
            faults.add("sandbox.readable", name, "does not exist", "mend the path, or leave it out")


def _check_analysis(analysis: WhiteBoxSettings, options: Mapping[str, object], faults: SubjectFaults) -> None:
    for name, source in analysis.sources.items():
        if name not in options:
            known = ", ".join(options) or "none"
            faults.add(f"analysis.sources.{name}", source, "is the source of no option", f"known are {known}")
    for region in analysis.include:
        if region in analysis.exclude:
            remedy = "write it under include or under exclude"
            faults.add("analysis.include", region, "is excluded as well", remedy)


def _check_entry(
    folder: Path, entry: EntryPoint, regions: tuple[str, ...] | None, faults: SubjectFaults
) -> None:
    if (entry.callable is None) == (not entry.command):
        remedy = 'write either callable = "module:function" or command = [...]'
        faults.add("entry", None, "needs exactly one of callable and command", remedy)
    if entry.callable is None:
        if regions and entry.command:
            remedy = "remove regions, or measure through a callable"
            faults.add("regions", list(regions), "needs a Python callable as entry", remedy)
        return
    module, _, name = entry.callable.partition(":")
    file = folder.joinpath(*module.split(".")).with_suffix(".py")
    if not file.is_file():
        remedy = f"add {file.name} to the subject's folder"
        faults.add("entry.callable", entry.callable, "names a module without a file", remedy)
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        faults.add(
            "entry.callable",
            entry.callable,
            f"is in a file with a fault: {error or type(error).__name__}",
            f"mend {file.name}",
        )
        return
    if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
        remedy = f"write def {name}(options, workload) in {file.name}"
        faults.add("entry.callable", entry.callable, "names a function that is not there", remedy)


def _check_install(install: Install, revisions: object, faults: SubjectFaults) -> None:
    for at, command in enumerate(install.commands):
        if not command:
            faults.add(f"install.commands[{at}]", [], "is empty", "write a program and its arguments")
        for word in command:
            _check_word(f"install.commands[{at}]", word, frozenset(BUILD_PLACES), faults)
    for at, pattern in enumerate(install.built):
        path = PurePosixPath(pattern)
        if not pattern.strip() or path.is_absolute() or ".." in path.parts:
            remedy = 'write a path or a pattern below the revision\'s files, such as "build/*.so"'
            faults.add(f"install.built[{at}]", pattern, "is outside of the revision's files", remedy)
    if install.built and isinstance(revisions, ReleaseRevisions):
        remedy = "remove it: releases share nothing"
        faults.add("install.built", list(install.built), "needs revisions with files", remedy)


def _check_counting(
    install: Install, entry: EntryPoint | None, revisions: object, faults: SubjectFaults
) -> None:
    """Counters come with a build: there has to be one, of files that are there."""
    key, value = "counts.tool", "gcov"
    if entry is not None and entry.callable is not None:
        faults.add(key, value, "counts commands", "remove [counts]: a callable has counters of its own")
    elif not install.commands:
        remedy = 'write what builds the program under install.commands, such as [["make"]]'
        faults.add(key, value, "needs commands that build the program", remedy)
    elif isinstance(revisions, ReleaseRevisions):
        faults.add(key, value, "needs revisions with files", 'take source = "git" or "folder"')


def _check_templates(
    entry: EntryPoint, options: Mapping[str, OptionDeclaration], known: frozenset[str], faults: SubjectFaults
) -> None:
    named: set[str] = set()
    for at, word in enumerate(entry.command):
        if word != ALL_OPTIONS:
            named |= _check_word(f"entry.command[{at}]", word, known, faults)
    taken = dict.fromkeys(entry.environment, "entry.environment")
    for name, option in options.items():
        if option.variable is not None and option.variable in taken:
            remedy = f"{taken[option.variable]} has it: each variable is given by one"
            faults.add(f"options.{name}.variable", option.variable, "is given twice", remedy)
        elif option.variable is not None:
            taken[option.variable] = f"options.{name}"
        if entry.command and not (
            name in named or (ALL_OPTIONS in entry.command and option.arguments) or option.variable
        ):
            remedy = f'put {{{name}}} into the command, give it a variable, or arguments and put "{{options}}" there'
            faults.add(f"options.{name}", None, "does not reach the command", remedy)


def _check_word(key: str, word: str, known: frozenset[str], faults: SubjectFaults) -> set[str]:
    """Return the names that `word` has in braces, all of which have to be `known`."""
    try:
        names = placeholders(word)
    except TemplateInvalid as error:
        faults.add(key, word, str(error), "write {{ and }} for braces themselves")
        return set()
    for name in names:
        if name in known:
            continue
        remedy = f"known here are {', '.join(sorted(known))}; write {{{{ and }}}} for braces themselves"
        faults.add(key, word, f"names {{{name}}}, which is unknown", remedy)
    return {*names}
