"""Rewriting of calls: they stay where they are; taints are addressed to the callee just before."""

import ast

from .nodes import attribute, call, constant, join, known, load, quiet, read_names, stored, tuple_of
from .rewriter import Rewriter, Rewritten

# These look at the frame that calls them.
_NATIVE = frozenset({"super", "locals", "globals", "vars", "dir"})
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)


def rewrite_call(rewriter: Rewriter, node: ast.Call) -> Rewritten:
    """What looks at the frame that calls it stays as it is; so does `isinstance`, whose answer has its arguments' taints."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _NATIVE and not node.args and not node.keywords:
        if name in ("locals", "vars", "dir") and rewriter.scope.kind in ("function", "comprehension"):
            return rewriter.emit_plain("blocks.own_names", node), None
        first = rewriter.first_parameter if name == "super" and rewriter.scope.function is not None else ""
        return node, rewriter.shadow_of(first) if first else None
    if name in ("exec", "eval"):
        return _text(rewriter, node)
    return _class_test(rewriter, node) if is_class_test(rewriter, node) else _followed(rewriter, node)


def _followed(rewriter: Rewriter, node: ast.Call) -> Rewritten:
    """Address the taints of the arguments to the callee."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    reads = dict.fromkeys(name for one in arguments for name in read_names(one))
    called = ""
    if isinstance(node.func, (ast.Name, ast.Attribute)):
        called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
    site = rewriter.site(node, "call", f"{called}()", tuple(reads))
    starred = any(isinstance(one, ast.Starred) for one in node.args)
    if not starred and all(keyword.arg is not None for keyword in node.keywords):
        return _addressed(rewriter, node, arguments, site)
    if any(isinstance(inner, _SUSPENDING) for one in arguments for inner in ast.walk(one)):
        # Inside the iterable of a comprehension nothing can be held: there the call is left as it is.
        return _noted(rewriter, node, site, held=True) if rewriter.walrus else (node, None)
    return _noted(rewriter, node, site, held=False)


def is_class_test(rewriter: Rewriter, node: ast.expr) -> bool:
    """Whether `node` calls the built-in `isinstance` with arguments that can be evaluated before their taints are read."""
    if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords:
        return False
    if not isinstance(node.func, ast.Name) or node.func.id != "isinstance" or rewriter.own_isinstance:
        return False
    tested, classes = node.args
    single = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    return all(quiet(one) for one in (tested, *single)) and rewriter.scope.where("isinstance") == "global"


def _class_test(rewriter: Rewriter, node: ast.Call) -> Rewritten:
    """`isinstance` is called natively; its result has the taints of both arguments."""
    node.args[0], taint = rewriter.expression(node.args[0])
    if not isinstance(node.args[1], ast.Tuple):
        node.args[1], of_class = rewriter.expression(node.args[1])
        taint = join(taint, of_class)
    # A `__class__` or `__instancecheck__` of the program may have been asked.
    return node, rewriter.with_ambient(known(taint))


def _text(rewriter: Rewriter, node: ast.Call) -> Rewritten:
    """Code in texts is not followed; that a taint went into it is counted."""
    for at, one in enumerate(node.args):
        if isinstance(one, ast.Starred):
            noted = rewriter.emit("values.part_and_content", *rewriter.pair(one.value))
            one.value = ast.copy_location(noted, one.value)
        else:
            node.args[at] = rewriter.emit("values.part_and_content", *rewriter.pair(one))
    begin = rewriter.emit("values.begin_parts")
    return rewriter.emit_expression("values.end_unfollowed", begin, node, constant("exec and eval"))


def _addressed(rewriter: Rewriter, node: ast.Call, arguments: list[ast.expr], site: ast.expr) -> Rewritten:
    """The taints of all arguments are addressed to the callee by what gives the call its function."""
    names = [keyword.arg for keyword in node.keywords]
    callee = rewriter.pair(node.func)
    given = [rewriter.pair(one) for one in arguments]
    if all(isinstance(one, (ast.Name, ast.Constant)) for one in arguments):
        # Evaluated once to be noted, once to be passed.
        function = "calls.call_named" if names else "calls.call"
        noted = [tuple_of(*(value for value, _ in given)), tuple_of(*(taint for _, taint in given))]
    else:
        # Evaluated once, on their way to the state, which hands them over to the call.
        function = "calls.gather_named" if names else "calls.gather_call"
        noted = [tuple_of(*(part for pair in given for part in pair))]
        node.args = [ast.Starred(rewriter.emit("calls.positional"), ast.Load())]
        node.keywords = [ast.keyword(None, rewriter.emit("calls.keywords"))] if names else []
    named = [tuple_of(*map(constant, names))] if names else []
    node.func = ast.copy_location(
        rewriter.emit(function, *callee, *named, *noted, site, rewriter.lately()),
        node.func,
    )
    return node, rewriter.result()


def _noted(rewriter: Rewriter, node: ast.Call, site: ast.expr, *, held: bool) -> Rewritten:
    """Arguments that can be evaluated only once are noted as they come.

    Where a frame may be left in between, the call is `held` in a local; else on the thread's stack.
    """
    callee = [*rewriter.pair(node.func), site]
    if held:
        holder = f"_pP{rewriter.number()}"
        opened = ast.NamedExpr(stored(holder), rewriter.emit("pending.PendingCall", *callee))
        node.func = ast.copy_location(attribute(opened, "target"), node.func)
    else:
        node.func = ast.copy_location(rewriter.emit("pending.push_call", *callee), node.func)

    last = [*node.args, *node.keywords][-1]

    def noted(argument: ast.AST, expression: ast.expr, method: str, *parts: ast.expr) -> ast.expr:
        pending = load(holder) if held else rewriter.expr("state.pending[-1]")
        made = call(attribute(pending, method), *parts)
        if argument is last and held:
            made = call(attribute(pending, "close"), made)
        elif argument is last:
            made = rewriter.emit("pending.close_call", made)
        return ast.copy_location(made, expression)

    for at, one in enumerate(node.args):
        if isinstance(one, ast.Starred):
            one.value = noted(one, one.value, "items", *rewriter.pair(one.value))
        else:
            node.args[at] = noted(one, one, "argument", *rewriter.pair(one))
    for keyword in node.keywords:
        name = [] if keyword.arg is None else [constant(keyword.arg)]
        method = "named" if name else "mapping"
        keyword.value = noted(keyword, keyword.value, method, *name, *rewriter.pair(keyword.value))
    return node, rewriter.result()
