"""From drafts to features in a tree: who is whose parent, and what options say of one another."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analytics.configurations.feature_models.features import Feature
from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_model.options import OptionDraft

ROOTS = ("root", "base")
MAX_TREE_DEPTH = 100
_TREE = "Let every option have one parent, and let parents lead to one root"


def features_of(drafts: Sequence[OptionDraft], faults: FileFaults) -> tuple[Feature, ...]:
    """The features, the root first; what is wrong is noted, and then they mean nothing."""
    by_name: dict[str, OptionDraft] = {}
    for draft in drafts:
        name = draft.feature.name
        earlier = by_name.setdefault(name, draft)
        if earlier is not draft:
            problem = f"the option {name} is there already, on line {earlier.line}"
            faults.add(problem, "Keep or rename one of the two", line=draft.line)
    parents = _parents(by_name, faults)
    root = _root(by_name, parents, faults)
    for name in by_name:
        if name != root:
            parents.setdefault(name, root)
    _check_circles(by_name, parents, root, faults)
    for draft in by_name.values():
        _check_mentions(draft, by_name, faults)
    first = Feature(root)
    if root in by_name:
        first = replace(by_name[root].feature, parent=None)
    if first.optional or first.values is not None:
        problem = f"the root {root} is {'optional' if first.optional else 'numeric'}"
        faults.add(problem, "Every configuration has the root: make it mandatory", line=by_name[root].line)
    others = (replace(draft.feature, parent=parents[name]) for name, draft in by_name.items() if name != root)
    return (first, *others)


def _parents(by_name: Mapping[str, OptionDraft], faults: FileFaults) -> dict[str, str]:
    """The parent of each option, as it says itself or as the parent says."""
    implicit = not any(name in by_name for name in ROOTS)
    parents: dict[str, str] = {}
    for own, draft in by_name.items():
        name = draft.feature.parent
        if name is None:
            continue
        if name not in by_name and not (implicit and name in ROOTS):
            problem = f"the parent of {own} is no option"
            faults.add(problem, "Add it, or correct the name", line=draft.parent_line, value=name)
        elif name == own:
            problem = f"the option {name} is its own parent"
            faults.add(problem, _TREE, line=draft.parent_line)
        elif name in by_name and by_name[name].feature.values is not None:
            problem = f"the parent of {own} is the numeric option {name}"
            faults.add(problem, "Hang it under a binary option", line=draft.parent_line)
        parents[own] = name
    listed = (
        (own, name, line)
        for own, draft in by_name.items()
        for names, line in draft.children
        for name in names
    )
    for own, name, line in listed:
        if name not in by_name:
            problem = f"a child of {own} is no option"
            faults.add(problem, "Add it, or correct the name", line=line, value=name)
            continue
        known = parents.setdefault(name, own)
        if known != own:
            problem = f"{own} lists {name} as a child, but its parent is {known}"
            faults.add(problem, "Let both say the same", line=line)
    return parents


def _root(by_name: Mapping[str, OptionDraft], parents: Mapping[str, str], faults: FileFaults) -> str:
    """The name of the root: of the option called root or base, of the only one with children, or a new one."""
    tops = [name for name in by_name if name not in parents]
    named = [name for name in tops if name in ROOTS]
    above = set(parents.values())
    if not named:
        if by_name and not tops and not set(ROOTS) & above:
            first = min(draft.line for draft in by_name.values())
            faults.add("no option is the root: each has a parent", _TREE, line=first)
        lone = len(tops) == 1 and len(by_name) > 1 and not set(ROOTS) & above
        free = next(name for name in (*ROOTS, "root_", "root__") if name not in by_name)
        return tops[0] if lone else next((name for name in ROOTS if name in above), free)
    root = named[0]
    for name in dict.fromkeys((*named[1:], *(name for name in tops if name in above))):
        if name != root:
            problem = f"{name} is a second root beside {root}: neither has a parent"
            faults.add(problem, f"Give {name} a parent", line=by_name[name].line)
    return root


def _check_circles(
    by_name: Mapping[str, OptionDraft], parents: Mapping[str, str], root: str, faults: FileFaults
) -> None:
    """Note options whose parents never lead to the root, or only after very many steps."""
    depths = {root: 0}
    for name in by_name:
        path: list[str] = []
        at = name
        while at not in depths and at in parents and at not in path and len(path) <= MAX_TREE_DEPTH:
            path.append(at)
            at = parents[at]
        if at in path:
            circle = " < ".join([*path[path.index(at) :], at])
            faults.add(f"parents go in a circle: {circle}", _TREE, line=by_name[at].line)
        elif depths.get(at, 0) + len(path) > MAX_TREE_DEPTH:
            problem = f"{name} lies more than {MAX_TREE_DEPTH} options deep"
            faults.add(problem, "Hang it higher", line=by_name[name].line)
        start = depths.get(at, 0)
        depths.update((one, start + len(path) - place) for place, one in enumerate(path))


def _check_mentions(draft: OptionDraft, by_name: Mapping[str, OptionDraft], faults: FileFaults) -> None:
    """Note unknown options that a draft implies or excludes, and contradictions between the two."""
    own = draft.feature.name
    for word, mentions in (("implies", draft.implied), ("excludes", draft.excluded)):
        for name, line in ((name, line) for names, line in mentions for name in names):
            if name not in by_name:
                problem = f"{own} {word} something that is no option"
                faults.add(problem, "Add it, or correct the name", line=line, value=name)
    implied = {names[0] for names in draft.feature.implied if len(names) == 1}
    for name, line in ((name, line) for names, line in draft.excluded for name in names):
        if name == own:
            faults.add(f"{name} excludes itself", "Remove the entry", line=line)
        elif name in implied:
            problem = f"{own} implies and excludes {name}"
            faults.add(problem, "Keep one of the two", line=line)
