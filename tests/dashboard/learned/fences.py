"""Fences that note what is asked of the database first."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext


def noting(firsts: list[str]) -> Callable[[], AbstractContextManager[None]]:
    """Transactions whose first query, after the savepoint, is added to `firsts`."""

    @contextmanager
    def fence() -> Iterator[None]:
        with transaction.atomic(), CaptureQueriesContext(connection) as asked:
            yield
        firsts.append(asked.captured_queries[0]["sql"])

    return fence


def locks_system(sql: str) -> bool:
    """Whether a query reads one system to lock it; SQLite, whose transactions have one writer, says nothing of locks."""
    return 'FROM "dashboard_system" WHERE' in sql and ("FOR UPDATE" in sql or connection.vendor == "sqlite")
