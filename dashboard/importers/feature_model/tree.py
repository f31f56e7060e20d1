"""From options to features in a tree: who is whose parent, and what options say of one another."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analytics.configurations.feature_models.features import Feature
from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_model.options import OptionElement, mentions

ROOTS = ("root", "base")
MAX_TREE_DEPTH = 100
_TREE = "Let every option have one parent, and let parents lead to one root"
_ByName = Mapping[str, OptionElement]


def features_of(options: Sequence[OptionElement], faults: FileFaults) -> tuple[Feature, ...]:
    """The features, the root first; what is wrong is noted, and then they mean nothing."""
    by_name: dict[str, OptionElement] = {}
    for option in options:
        earlier = by_name.setdefault(option.feature.name, option)
        if earlier is not option:
            problem = f"the option {option.feature.name} is there already, on line {earlier.element.line}"
            faults.add(problem, "Keep or rename one of the two", line=option.element.line)
    parents = _parents(by_name, faults)
    root = _root(by_name, parents, faults)
    for name in by_name:
        if name != root:
            parents.setdefault(name, root)
    _check_circles(by_name, parents, root, faults)
    _check_mentions(by_name, faults)
    first = Feature(root)
    if root in by_name:
        first = replace(by_name[root].feature, parent=None)
        if first.optional or first.values is not None:
            problem = f"the root {root} is {'optional' if first.optional else 'numeric'}"
            faults.add(
                problem,
                "Every configuration has the root: make it mandatory",
                line=by_name[root].element.line,
            )
    others = (replace(by_name[name].feature, parent=parents[name]) for name in by_name if name != root)
    return (first, *others)


def _parents(by_name: _ByName, faults: FileFaults) -> dict[str, str]:
    """The parent of each option, as it says itself or as the parent says."""
    implicit = not any(name in by_name for name in ROOTS)
    parents: dict[str, str] = {}
    for own, (feature, element, _) in by_name.items():
        name, line = feature.parent, element.line_of("parent")
        if name is None:
            continue
        if name not in by_name and not (implicit and name in ROOTS):
            problem = f"the parent of {own} is no option"
            faults.add(problem, "Add it, or correct the name", line=line, value=name)
        elif name == own:
            faults.add(f"the option {name} is its own parent", _TREE, line=line)
        elif name in by_name and by_name[name].feature.values is not None:
            problem = f"the parent of {own} is the numeric option {name}"
            faults.add(problem, "Hang it under a binary option", line=line)
        parents[own] = name
    for own, (_, element, _) in by_name.items():
        for name, line in ((name, line) for names, line in mentions(element, "children") for name in names):
            if name not in by_name:
                problem = f"a child of {own} is no option"
                faults.add(problem, "Add it, or correct the name", line=line, value=name)
            elif (known := parents.setdefault(name, own)) != own:
                problem = f"{own} lists {name} as a child, but its parent is {known}"
                faults.add(problem, "Let both say the same", line=line)
    return parents


def _root(by_name: _ByName, parents: Mapping[str, str], faults: FileFaults) -> str:
    """The name of the root: of the option called root or base, of the only one with children, or a new one."""
    tops = [name for name in by_name if name not in parents]
    named = [name for name in tops if name in ROOTS]
    above = set(parents.values())
    if not named:
        implied = [name for name in ROOTS if name in above]
        if by_name and not tops and not implied:
            first = min(option.element.line for option in by_name.values())
            faults.add("no option is the root: each has a parent", _TREE, line=first)
        if len(tops) == 1 and len(by_name) > 1 and not implied:
            return tops[0]
        free = (name for name in (*ROOTS, "root_", "root__") if name not in by_name)
        return implied[0] if implied else next(free)
    root, *rivals = dict.fromkeys((*named, *(name for name in tops if name in above)))
    for name in rivals:
        problem = f"{name} is a second root beside {root}: neither has a parent"
        faults.add(problem, f"Give {name} a parent", line=by_name[name].element.line)
    return root


def _check_circles(by_name: _ByName, parents: Mapping[str, str], root: str, faults: FileFaults) -> None:
    """Note options whose parents never lead to the root, or only after very many steps."""
    depths = {root: 0}
    for name in by_name:
        path: list[str] = []
        at = name
        while at not in depths and at in parents and at not in path and len(path) <= MAX_TREE_DEPTH:
            path.append(at)
            at = parents[at]
        start = depths.get(at, 0)
        if at in path:
            circle = " < ".join([*path[path.index(at) :], at])
            faults.add(f"parents go in a circle: {circle}", _TREE, line=by_name[at].element.line)
        elif start + len(path) > MAX_TREE_DEPTH:
            problem = f"{name} lies more than {MAX_TREE_DEPTH} options deep"
            faults.add(problem, "Hang it higher", line=by_name[name].element.line)
        depths.update((one, start + len(path) - place) for place, one in enumerate(path))


def _check_mentions(by_name: _ByName, faults: FileFaults) -> None:
    """Note unknown options that an option implies or excludes, and contradictions between the two."""
    for own, (feature, element, _) in by_name.items():
        implied = {names[0] for names in feature.implied if len(names) == 1}
        listed = [
            (tag, name, line)
            for tag in ("impliedOptions", "excludedOptions")
            for names, line in mentions(element, tag)
            for name in names
        ]
        for tag, name, line in listed:
            if name not in by_name:
                problem = f"{own} {'implies' if tag == 'impliedOptions' else 'excludes'} something that is no option"
                faults.add(problem, "Add it, or correct the name", line=line, value=name)
        for tag, name, line in listed:
            if tag == "excludedOptions" and name == own:
                faults.add(f"{name} excludes itself", "Remove the entry", line=line)
            elif tag == "excludedOptions" and name in implied:
                faults.add(f"{own} implies and excludes {name}", "Keep one of the two", line=line)
