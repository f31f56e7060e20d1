"""`make demo`, `make start`: a development key, the tables, the demo data or none; then the server takes this process over."""

import argparse
import fcntl
import os
import secrets
import sys
from pathlib import Path

import django
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError

ROOT = Path(__file__).resolve().parent.parent
KEY = "PERFATLAS_SECRET_KEY"


def write_key(path: Path) -> bool:
    """Write a random key into `.env` unless one is there; say whether it was written.

    Of two that start at once one writes, and the other finds its key.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        return _write_key(path)
    finally:
        os.close(folder)


def _write_key(path: Path) -> bool:
    text = path.read_text() if path.exists() else "# For development: made by `make demo` or `make start`.\n"
    if any(line.partition("=")[0].strip() in {KEY, f"{KEY}_FILE"} for line in text.splitlines()):
        return False
    separator = "" if text.endswith("\n") else "\n"
    complete = path.with_name(".env.new")
    complete.touch(mode=0o600)
    complete.write_text(f"{text}{separator}{KEY}={secrets.token_urlsafe(48)}\n")
    complete.replace(path)
    return True


def prepare(port: int, *, with_data: bool) -> None:
    """Check what the server will need, before anything takes long; then make the tables and load the data."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from dashboard.services.serving import start as serving  # noqa: PLC0415 -- it needs what the line above does
    from dashboard.services.serving import tables  # noqa: PLC0415 -- as above

    try:
        serving.check_key()
        serving.check_var()
        serving.listen("127.0.0.1", port).close()
        tables.migrate()
        if with_data and "demo" in get_commands():
            call_command("demo", compare=True)
    except (serving.ServeError, CommandError) as error:
        # `serve` speaks of its own option; here it is a variable of make.
        sys.exit(str(error).replace("--port", f"make {'demo' if with_data else 'start'} PORT=8080"))


def main() -> None:
    """Prepare, then become `manage.py serve`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--without-data", dest="with_data", action="store_false")
    given = parser.parse_args()
    os.chdir(ROOT)
    if KEY not in os.environ and f"{KEY}_FILE" not in os.environ:
        write_key(ROOT / ".env")
    prepare(given.port, with_data=given.with_data)
    os.execv(sys.executable, [sys.executable, "manage.py", "serve", "--port", str(given.port)])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
