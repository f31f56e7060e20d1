"""A JSON column has one owner: no other module reads or writes its keys by string."""

import ast
from collections.abc import Iterator

from django.apps import apps
from django.db.models import JSONField

from dashboard.models.whitebox import WhiteBoxResultField
from tests.project.structure import product

# The one module that knows the keys of a column whose type is not a field's own.
OWNERS = {"dashboard.selectors.batch_manifests": {"manifest"}}
# Modules that read keys of a column that has no type yet: this list only shrinks.
KNOWN: dict[str, set[str]] = {
    "dashboard.import_views": {"parameters"},
    "dashboard.management.commands.bisect": {"result"},
    "dashboard.management.commands.measure": {"result"},
    "dashboard.management.commands.track": {"result"},
    "dashboard.selectors.approaches": {"payload"},
    "dashboard.selectors.export.hybrid_models": {"settings"},
    "dashboard.selectors.histories.tracking_logs": {"checkpoint"},
    "dashboard.selectors.measuring.grid": {"checkpoint"},
    "dashboard.selectors.measuring.status": {"checkpoint"},
    "dashboard.selectors.performance_models": {"settings"},
    "dashboard.selectors.regions.sources": {"lines"},
    "dashboard.services.deleting": {"parameters"},
    "dashboard.services.histories.fit_jobs": {"parameters"},
    "dashboard.services.imports.jobs": {"parameters"},
    "dashboard.services.measuring.job": {"checkpoint"},
    "dashboard.services.measuring.subject_jobs": {"checkpoint"},
    "dashboard.services.performance_models.hybrid": {"parameters"},
    "dashboard.services.performance_models.models": {"parameters"},
    "dashboard.services.tracking.bisecting": {"checkpoint"},
    "dashboard.services.tracking.loop": {"checkpoint"},
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
            if key and column in columns:
                yield column
        if isinstance(target, ast.Attribute) and target.attr in columns:
            yield target.attr


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_keys_of_a_json_column_are_read_by_the_class_that_owns_it() -> None:
    """Pages apart, which never hold a row: what they call settings are those of an address."""
    columns = _columns()
    found = {
        module.name: set(_by_key(module.tree, columns))
        - KNOWN.get(module.name, set())
        - OWNERS.get(module.name, set())
        for module in product().values()
        if not module.name.startswith("dashboard.pages.")
    }
    assert not any(found.values()), {name: sorted(own) for name, own in found.items() if own}


def test_the_result_of_a_white_box_analysis_is_typed_where_it_is_stored() -> None:
    (model,) = (
        one for one in apps.get_app_config("dashboard").get_models() if one.__name__ == "WhiteBoxAnalysis"
    )
    assert isinstance(model._meta.get_field("result"), WhiteBoxResultField)
