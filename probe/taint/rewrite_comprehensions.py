"""Rewriting of comprehensions, generator expressions, `yield` and `await`."""

import ast

from .nodes import constant, join, known, load, read_names, stored, stored_names, tuple_of
from .rewrite_expressions import tested
from .rewriter import Rewriter, Rewritten
from .scopes import NameScope
from .signatures import SHADOW_PREFIX


def _parts(target: ast.expr) -> list[ast.expr] | None:
    """Return the targets that `target` is taken apart into; None for one whose value is kept whole."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    return None if any(isinstance(part, ast.Starred) for part in target.elts) else target.elts


def shape_of(target: ast.expr) -> ast.expr:
    """Return the form of a target: None for one whose value is kept whole, a tuple of such for the others."""
    parts = _parts(target)
    return constant(None) if parts is None else tuple_of(*map(shape_of, parts))


def shadow_target(target: ast.expr, spare: str) -> ast.expr:
    """Return a target of the same form for the taints; `spare` takes those of what is no name."""
    parts = _parts(target)
    if parts is not None:
        return ast.Tuple([shadow_target(part, spare) for part in parts], ast.Store())
    return stored(SHADOW_PREFIX + target.id if isinstance(target, ast.Name) else spare)


def rewrite_comprehension(
    rewriter: Rewriter, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
) -> Rewritten:
    """A list keeps a taint per item, a dict one per value; a set joins those of its items.

    A generator expression yields: its items leave their taints as those of generators do.
    """
    scope, drawn = rewriter.scope, rewriter.drawn
    followed = _generators(rewriter, node.generators)
    lazy = isinstance(node, ast.GeneratorExp)
    if followed:
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        rewritten = [rewriter.pair(part) for part in parts]
        noting = "generators.yielded_by_expression" if lazy else "iteration.comprehension_item"
        last = ast.copy_location(rewriter.emit(noting, *rewritten[-1]), parts[-1])
        if isinstance(node, ast.DictComp):
            node.key, node.value = rewritten[0][0], last
        else:
            node.elt = last
    rewriter.scope, rewriter.drawn = scope, drawn
    if lazy or not followed:
        return node, None
    begin = rewriter.emit("iteration.begin_comprehension")
    return rewriter.emit_expression("iteration.end_comprehension", begin, node)


def _generators(rewriter: Rewriter, generators: list[ast.comprehension]) -> bool:
    """Rewrite the loops; False where one is asynchronous: those are left as they are."""
    inner = NameScope("comprehension", rewriter.scope)
    if any(one.is_async for one in generators):
        return False
    walrus = rewriter.walrus
    for at, one in enumerate(generators):
        rewriter.walrus = False
        site = rewriter.decision(one.iter, "comprehension", one.iter)
        of_iterable = dict.fromkeys(stored_names(one.target), read_names(one.iter))
        value, taint = rewriter.expression(one.iter)
        rewriter.walrus = walrus
        if at == 0:
            rewriter.scope = inner
        inner.names.update(stored_names(one.target))
        rewriter.drawn = {**rewriter.drawn, **of_iterable}
        spare = f"_pN{rewriter.number()}"
        about = (
            site,
            shape_of(one.target),
            constant(sum(len(inner.ifs) for inner in generators)),
            rewriter.lately(),
        )
        items = rewriter.emit("iteration.comprehension_items", value, known(taint), *about)
        one.iter = ast.copy_location(items, one.iter)
        _starred(rewriter, one.target, inner)
        one.target = ast.Tuple([one.target, shadow_target(one.target, spare)], ast.Store())
        for at_test, test in enumerate(one.ifs):
            decided = rewriter.decision(test, "comprehension if", test)
            given = (*tested(rewriter, test), decided, rewriter.lately())
            one.ifs[at_test] = ast.copy_location(rewriter.emit("iteration.comprehension_test", *given), test)
    return True


def _starred(rewriter: Rewriter, target: ast.expr, inner: NameScope) -> None:
    """Names inside of a target that is not taken apart have no shadow of their own."""
    if isinstance(target, (ast.Tuple, ast.List)):
        whole = any(isinstance(part, ast.Starred) for part in target.elts)
        for part in target.elts:
            if whole:
                inner.untracked.update(one.id for one in ast.walk(part) if isinstance(one, ast.Name))
            else:
                _starred(rewriter, part, inner)


def rewrite_await(rewriter: Rewriter, node: ast.Await) -> Rewritten:
    """The awaited coroutine leaves the taint of its result; control taint is this frame's again."""
    node.value, _ = rewriter.expression(node.value)
    return rewriter.emit_expression("generators.resumed", node, rewriter.all_control())


def rewrite_yield(rewriter: Rewriter, node: ast.Yield) -> Rewritten:
    """What is yielded leaves its taint; what was sent brings its own."""
    reads = read_names(node.value) if node.value else ()
    value, taint = rewriter.expression(node.value) if node.value else (constant(None), None)
    left = known(join(taint, rewriter.control()))
    site = rewriter.site(node, "return", f"{rewriter.function}()", reads)
    node.value = rewriter.emit("generators.yielded", value, left, load("_pS"), site, rewriter.lately())
    return _resumed(rewriter, "generators.sent", node)


def rewrite_yield_from(rewriter: Rewriter, node: ast.YieldFrom) -> Rewritten:
    """Items pass through; the sub-generator's result has the taint that it left."""
    value, taint = rewriter.expression(node.value)
    node.value = rewriter.emit("generators.delegate", value, known(join(taint, rewriter.control())))
    return _resumed(rewriter, "generators.delegated", node)


def _resumed(rewriter: Rewriter, function: str, node: ast.expr) -> Rewritten:
    """Return what is sent into this frame, which keeps the control taint of who resumed it and has its own again."""
    # Another call runs it from now on.
    resuming = rewriter.expr("(_pS := (_pF := None) or state.control)")
    return rewriter.emit_expression(function, node, resuming, rewriter.all_control())
