#!/usr/bin/env python
"""Every verb of Perfatlas is a management command."""

import contextlib
import os
import sys
from pathlib import Path


def prepare(command: str, stack: contextlib.ExitStack) -> None:
    """Make `var/` and the tables that a command of ours needs, in a copy in which nothing ran yet.

    `serve` prepares more than that, and brings older tables up to date; `restore` brings its own. What makes the
    tables itself needs `var/` alone, and holds it until the stack closes: another first command waits for it.
    """
    ours = Path(__file__).with_name("dashboard") / "management" / "commands"
    makes_tables = command in {"migrate", "makemigrations"}
    if command in {"serve", "restore"} or not (makes_tables or (ours / f"{command}.py").is_file()):
        return
    import django

    django.setup()
    from dashboard.services.serving.start import ServeError, check_var
    from dashboard.services.serving.tables import changing_alone, check_tables

    try:
        check_var()
        if makes_tables:
            stack.enter_context(changing_alone())
        else:
            check_tables()
    except ServeError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


def main() -> None:
    """Run the command that the arguments name."""
    if sys.version_info < (3, 11):  # noqa: UP036 -- the line that an old Python must reach
        sys.exit("Perfatlas needs Python 3.11 or newer; this is %s." % sys.version.split()[0])  # noqa: UP031 -- as above
    # What commands and the server write is theirs alone: measured programs are other people's code.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here: run `make demo` once, then use .venv/bin/python manage.py")
    try:
        with contextlib.ExitStack() as stack:
            prepare(sys.argv[1] if len(sys.argv) > 1 else "", stack)
            execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    except Exception as error:
        from dashboard.outages import remedy_of

        if (remedy := remedy_of(error)) is None:
            raise
        sys.exit(remedy)


if __name__ == "__main__":
    main()
