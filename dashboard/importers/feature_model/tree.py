"""From drafts to features in a tree: who is whose parent, and what options say of one another."""

from collections.abc import Mapping, Sequence

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
        earlier = by_name.setdefault(draft.name, draft)
        if earlier is not draft:
            problem = f"the option {draft.name} is there already, on line {earlier.line}"
            faults.add(problem, "Keep or rename one of the two", line=draft.line)
    parents = _parents(by_name, faults)
    root = _root(by_name, parents, faults)
    for name in by_name:
        if name != root:
            parents.setdefault(name, root)
    _check_circles(by_name, parents, root, faults)
    for draft in by_name.values():
        _check_mentions(draft, by_name, faults)
    declared = by_name.get(root)
    if declared is not None and (declared.optional or declared.values is not None):
        problem = f"the root {root} is {'optional' if declared.optional else 'numeric'}"
        faults.add(problem, "Every configuration has the root: make it mandatory", line=declared.line)
    first = Feature(root) if declared is None else _feature(declared, None)
    others = (_feature(draft, parents[draft.name]) for draft in by_name.values() if draft.name != root)
    return (first, *others)


def _feature(draft: OptionDraft, parent: str | None) -> Feature:
    return Feature(
        draft.name,
        parent,
        optional=draft.optional,
        implied=tuple(mention.names for mention in draft.implied),
        excluded=tuple(mention.names for mention in draft.excluded),
        values=draft.values,
        output=draft.output,
        prefix=draft.prefix,
        postfix=draft.postfix,
    )


def _parents(by_name: Mapping[str, OptionDraft], faults: FileFaults) -> dict[str, str]:
    """The parent of each option, as it says itself or as the parent says."""
    implicit = not any(name in by_name for name in ROOTS)
    parents: dict[str, str] = {}
    for draft in by_name.values():
        if draft.parent is None:
            continue
        (name,) = draft.parent.names
        if name not in by_name and not (implicit and name in ROOTS):
            problem = f"the parent of {draft.name} is no option"
            faults.add(problem, "Add it, or correct the name", line=draft.parent.line, value=name)
        elif name == draft.name:
            problem = f"the option {name} is its own parent"
            faults.add(problem, _TREE, line=draft.parent.line)
        elif name in by_name and by_name[name].values is not None:
            problem = f"the parent of {draft.name} is the numeric option {name}"
            faults.add(problem, "Hang it under a binary option", line=draft.parent.line)
        parents[draft.name] = name
    listed = (
        (draft, mention, name)
        for draft in by_name.values()
        for mention in draft.children
        for name in mention.names
    )
    for draft, mention, name in listed:
        if name not in by_name:
            problem = f"a child of {draft.name} is no option"
            faults.add(problem, "Add it, or correct the name", line=mention.line, value=name)
            continue
        known = parents.setdefault(name, draft.name)
        if known != draft.name:
            problem = f"{draft.name} lists {name} as a child, but its parent is {known}"
            faults.add(problem, "Let both say the same", line=mention.line)
    return parents


def _root(by_name: Mapping[str, OptionDraft], parents: Mapping[str, str], faults: FileFaults) -> str:
    """The name of the root: of the option called root or base, of the only one with children, or a new one."""
    tops = [draft for name, draft in by_name.items() if name not in parents]
    named = [draft for draft in tops if draft.name in ROOTS]
    above = set(parents.values())
    parental = [draft for draft in tops if draft.name in above]
    if not named:
        if by_name and not tops and not set(ROOTS) & above:
            first = min(draft.line for draft in by_name.values())
            faults.add("no option is the root: each has a parent", _TREE, line=first)
        lone = len(tops) == 1 and len(by_name) > 1 and not set(ROOTS) & above
        free = next(name for name in (*ROOTS, "root_", "root__") if name not in by_name)
        return tops[0].name if lone else next((name for name in ROOTS if name in above), free)
    root = named[0]
    for draft in {other.name: other for other in (*named[1:], *parental)}.values():
        if draft is not root:
            problem = f"{draft.name} is a second root beside {root.name}: neither has a parent"
            faults.add(problem, f"Give {draft.name} a parent", line=draft.line)
    return root.name


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
    for word, mentions in (("implies", draft.implied), ("excludes", draft.excluded)):
        for mention in mentions:
            for name in mention.names:
                if name not in by_name:
                    problem = f"{draft.name} {word} something that is no option"
                    faults.add(problem, "Add it, or correct the name", line=mention.line, value=name)
    implied = {mention.names[0] for mention in draft.implied if len(mention.names) == 1}
    for mention in draft.excluded:
        for name in mention.names:
            if name == draft.name:
                problem = f"{name} excludes itself"
                faults.add(problem, "Remove the entry", line=mention.line)
            elif name in implied:
                problem = f"{draft.name} implies and excludes {name}"
                faults.add(problem, "Keep one of the two", line=mention.line)
