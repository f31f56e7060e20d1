"""Writing over two connections at once: PostgreSQL takes most of the time of a large import, on one processor for each."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

from django.db import connection, transaction

from dashboard.importers.source import GoOn


def may_write_beside() -> bool:
    """Whether another connection sees what this one wrote, and both may write at once."""
    return connection.vendor == "postgresql" and not connection.in_atomic_block


def write_beside(starts: Iterator[int], write: Callable[[int], None], beat: GoOn, hold: GoOn) -> None:
    """Write chunks by where they start, in a transaction each: this thread and another one take turns.

    `beat` is called in the transactions of this thread, `hold` in those of the other one. Nothing is written any more when it ends,
    however that is; raises what either of them raises.
    """
    taking, ended = Lock(), Event()

    def chunks() -> Iterator[int]:
        while not ended.is_set():
            with taking:
                start = next(starts, None)
            if start is None:
                return
            yield start

    def write_all(before: GoOn) -> None:
        try:
            for start in chunks():
                with transaction.atomic():
                    before()
                    write(start)
        except BaseException:
            ended.set()
            raise

    def write_others() -> None:
        try:
            write_all(hold)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(write_others)
        write_all(beat)
        other.result()
