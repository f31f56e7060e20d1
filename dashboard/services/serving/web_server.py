"""What gunicorn does besides serving; named by `--config` on its command line."""

from typing import Any

from dashboard.services.serving.child_processes import end_with_parent


def on_starting(server: Any) -> None:
    """Prepare, in gunicorn's master, what its workers do first."""
    server.end_with_master = end_with_parent()


def post_fork(server: Any, _worker: Any) -> None:
    """A worker must not outlive the master, not even one that hangs in a request."""
    server.end_with_master()
