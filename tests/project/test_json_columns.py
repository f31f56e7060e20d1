"""A JSON column has one owner: no other module reads or writes its keys by string."""

import ast
from collections.abc import Iterator

from django.apps import apps
from django.db.models import JSONField

from dashboard.models.whitebox import WhiteBoxResultField
from tests.project.structure import product

# The modules that know the keys of a column: its one owner, as a type of its own is not worth while everywhere.
OWNERS = {
    # Of an entry of the audit trail.
    "details": {"dashboard.selectors.audit"},
    # Of a job that measures a subject.
    "checkpoint": {"dashboard.selectors.job_columns"},
    "manifest": {"dashboard.selectors.batch_manifests"},
    "parameters": {"dashboard.selectors.job_columns"},
    "settings": {"dashboard.selectors.performance_models"},
    # Of a job; that of a white-box analysis has a type.
    "result": {f"dashboard.management.commands.{name}" for name in ("bisect", "measure", "track")},
}


def _columns() -> set[str]:
    return {
        field.name
        for model in apps.get_app_config("dashboard").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, JSONField)
    }


def _by_key(tree: ast.AST, columns: set[str]) -> Iterator[str]:
    """The columns that are subscripted, asked for a key, or looked up by a key in a query."""
    for node in ast.walk(tree):
        target: ast.expr | None = None
        if isinstance(node, ast.Subscript) and _is_text(node.slice):
            target = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            target = node.func.value if node.args and _is_text(node.args[0]) else None
        elif isinstance(node, ast.keyword) and node.arg:
            column, _, key = node.arg.partition("__")
            if key not in {"", "isnull"} and column in columns:
                yield column
        if isinstance(target, ast.Attribute) and target.attr in columns:
            yield target.attr


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_keys_of_a_json_column_are_known_to_its_owner_alone() -> None:
    """Pages apart, which never hold a row: what they call settings are those of an address."""
    columns = _columns()
    beyond = {
        f"{module.name}: {column}"
        for module in product().values()
        if not module.name.startswith("dashboard.pages.")
        for column in _by_key(module.tree, columns)
        if module.name not in OWNERS.get(column, ())
    }
    assert not beyond, sorted(beyond)


def test_the_result_of_a_white_box_analysis_is_typed_where_it_is_stored() -> None:
    (model,) = (
        one for one in apps.get_app_config("dashboard").get_models() if one.__name__ == "WhiteBoxAnalysis"
    )
    assert isinstance(model._meta.get_field("result"), WhiteBoxResultField)
