"""The instrumentation of whole modules: which function rewrites which kind of node, and what rewritten code calls."""

import ast
import builtins
import operator
from dataclasses import fields
from threading import Lock
from types import CodeType

from ..counting import CounterInserter, note_counters  # noqa: TID252 - the probe runs under another name
from ..instrumented import InstrumentedCode  # noqa: TID252
from . import (
    blocks,
    calls,
    generators,
    iteration,
    membership,
    nodes,
    pending,
    rewrite_assignments,
    rewrite_blocks,
    rewrite_calls,
    rewrite_comprehensions,
    rewrite_control_flow,
    rewrite_definitions,
    rewrite_expressions,
    stores,
    values,
)
from .flows import FLOWS
from .records import RECORD, SITES, InstrumentedSite, new_site
from .rewriter import Handlers, Rewriter
from .shadows import ATOMS, CLASS_NAMES, SHADOWS
from .signatures import DEFAULTS, SIGNATURES, FunctionSignature, register
from .state import NOTHING, ThreadStates

STATES = ThreadStates()
HANDLERS: Handlers = {
    # Expressions: the value and its taint.
    ast.Attribute: rewrite_expressions.rewrite_attribute,
    ast.Await: rewrite_comprehensions.rewrite_await,
    ast.BinOp: rewrite_expressions.rewrite_binary_operator,
    ast.BoolOp: rewrite_expressions.rewrite_boolean_operator,
    ast.Call: rewrite_calls.rewrite_call,
    ast.Compare: rewrite_expressions.rewrite_comparison,
    ast.Dict: rewrite_expressions.rewrite_dict,
    ast.DictComp: rewrite_comprehensions.rewrite_comprehension,
    ast.GeneratorExp: rewrite_comprehensions.rewrite_comprehension,
    ast.IfExp: rewrite_expressions.rewrite_conditional_expression,
    ast.JoinedStr: rewrite_expressions.rewrite_formatted_string,
    ast.Lambda: rewrite_definitions.rewrite_lambda,
    ast.List: rewrite_expressions.rewrite_sequence,
    ast.ListComp: rewrite_comprehensions.rewrite_comprehension,
    ast.Name: rewrite_expressions.rewrite_name,
    ast.NamedExpr: rewrite_expressions.rewrite_named_expression,
    ast.Set: rewrite_expressions.rewrite_sequence,
    ast.SetComp: rewrite_comprehensions.rewrite_comprehension,
    ast.Starred: rewrite_expressions.rewrite_starred,
    ast.Subscript: rewrite_expressions.rewrite_subscript,
    ast.Tuple: rewrite_expressions.rewrite_sequence,
    ast.UnaryOp: rewrite_expressions.rewrite_unary_operator,
    ast.Yield: rewrite_comprehensions.rewrite_yield,
    ast.YieldFrom: rewrite_comprehensions.rewrite_yield_from,
    # Statements: what stands in their place.
    ast.AnnAssign: rewrite_assignments.rewrite_assignment,
    ast.Assert: rewrite_blocks.rewrite_assert,
    ast.Assign: rewrite_assignments.rewrite_assignment,
    ast.AsyncFor: rewrite_control_flow.rewrite_for,
    ast.AsyncFunctionDef: rewrite_definitions.rewrite_function,
    ast.AsyncWith: rewrite_blocks.rewrite_with,
    ast.AugAssign: rewrite_assignments.rewrite_augmented_assignment,
    ast.Break: rewrite_control_flow.rewrite_jump,
    ast.ClassDef: rewrite_definitions.rewrite_class,
    ast.Continue: rewrite_control_flow.rewrite_jump,
    ast.Delete: rewrite_assignments.rewrite_delete,
    ast.Expr: rewrite_control_flow.rewrite_expression_statement,
    ast.For: rewrite_control_flow.rewrite_for,
    ast.FunctionDef: rewrite_definitions.rewrite_function,
    ast.Global: rewrite_definitions.rewrite_declaration,
    ast.If: rewrite_control_flow.rewrite_if,
    ast.ImportFrom: rewrite_assignments.rewrite_import_from,
    ast.Match: rewrite_blocks.rewrite_match,
    ast.Nonlocal: rewrite_definitions.rewrite_declaration,
    ast.Raise: rewrite_blocks.rewrite_raise,
    ast.Return: rewrite_definitions.rewrite_return,
    ast.Try: rewrite_blocks.rewrite_try,
    ast.TryStar: rewrite_blocks.rewrite_try,
    ast.While: rewrite_control_flow.rewrite_while,
    ast.With: rewrite_blocks.rewrite_with,
}


class _Operators:
    """The functions of `operator`, and those for which it has no name."""

    isin, notin = staticmethod(membership.isin), staticmethod(membership.notin)

    def __getattr__(self, name: str) -> object:
        found = getattr(operator, name)
        setattr(self, name, found)
        return found


def install_names() -> None:
    """Put the names that rewritten code uses into the builtins: no module of the program gets a new name."""
    for module in (blocks, calls, generators, iteration, pending, stores, values):
        setattr(builtins, nodes.RUNTIME_PREFIX + module.__name__.rpartition(".")[2], module)
    for name, value in {
        "_pa_here": STATES, "_pa_shadows": SHADOWS, "_pa_globals": stores.GLOBALS, "_pa_class_names": CLASS_NAMES,
        "_pa_defaults": DEFAULTS, "_pa_atoms": ATOMS, "_pa_under": RECORD.under,
        "_pa_last": RECORD.last, "_pa_nothing": NOTHING, "_pa_no_key": values.NOT_A_KEY, "_pa_operator": _Operators(),
        "_pa_id": id, "_pa_type": type, "_pa_len": len, "_pa_slice": slice, "_pa_list": list, "_pa_tuple": tuple,
        "_pa_set": set, "_pa_any_error": BaseException,
        "_pa_step": RECORD.step_of, "_pa_told": RECORD.step, "_pa_lately": FLOWS.lately,
    }.items():  # fmt: skip
        setattr(builtins, name, value)


NOWHERE = InstrumentedCode()
# Kept alive with all code that is in them.
MODULES: list[CodeType] = []


def _written_globals(tree: ast.Module) -> frozenset[str]:
    """Return the module's names whose taint is worth asking for: assigned there, imported, or declared global."""
    own = list(nodes.own_nodes(tree.body))
    imports = (node for node in own if isinstance(node, ast.ImportFrom))
    return frozenset(
        {node.id for node in own if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        | {alias.asname or alias.name for node in imports for alias in node.names}
        | {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    )


# What rewriting notes of a module is numbered from where the last one ended; two threads may import at a time.
_NUMBERING = Lock()
_SITE_FIELDS = tuple(field.name for field in fields(InstrumentedSite))
_SIGNATURE_FIELDS = tuple(field.name for field in fields(FunctionSignature))


def compiled(
    source: bytes, module: str, path: str, *, weak: bool = True, folders: InstrumentedCode = NOWHERE
) -> CodeType:
    """Return the code of a module's `source`, rewritten, with counters in it; its functions are registered.

    `weak`: what a path that is not taken would have written is followed, on the heap too. Code that `folders` have is taken if as
    much was rewritten before it: it has the numbers of its sites and functions in it.
    """
    with _NUMBERING:
        first_site, first_function = len(SITES), len(SIGNATURES)
        name = folders.name(f"taint {module} {path} {weak} {first_site} {first_function}", source)
        found = folders.read(name, parts=4)
        if found is None:
            code, counters = rewritten(source, module, path, weak=weak)
            sites = [tuple(getattr(one, field) for field in _SITE_FIELDS) for one in SITES[first_site:]]
            functions = [
                tuple(getattr(one, field) for field in _SIGNATURE_FIELDS)
                for one in SIGNATURES[first_function:]
            ]
            folders.leave(name, (sites, functions, counters, code))
        else:
            sites, functions, counters, code = found
            for site in sites:
                new_site(InstrumentedSite(*site))
            SIGNATURES.extend(FunctionSignature(*one) for one in functions)
            note_counters(module, source, counters)
    register(code)
    MODULES.append(code)
    return code


def rewritten(
    source: bytes, module: str, path: str, *, weak: bool
) -> tuple[CodeType, list[tuple[int, int, str, str]]]:
    """Return the rewritten code of a module and its counters."""
    inserter = CounterInserter(module, source)
    tree = inserter.counted(ast.parse(source, path))
    lines = source.decode("utf-8", errors="replace").splitlines()
    own_isinstance = any(
        "isinstance" in (getattr(node, "name", None), getattr(node, "id", None))
        and not isinstance(getattr(node, "ctx", None), ast.Load)
        for node in ast.walk(tree)
    )
    rewriter = Rewriter(
        module,
        path,
        lines=lines,
        handlers=HANDLERS,
        written_globals=_written_globals(tree),
        own_isinstance=own_isinstance,
        weak=weak,
    )
    tree.body = rewriter.block(tree.body)
    code: CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return code, inserter.module.sites
