"""`make demo`: a development key, the tables, the demo data; then the server takes this process over."""

import os
import secrets
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEY = "PERFATLAS_SECRET_KEY"


def write_key(path: Path) -> bool:
    """Write a random key into `.env` unless one is there; say whether it was written."""
    text = path.read_text() if path.exists() else "# For development: made by `make demo`.\n"
    if any(line.partition("=")[0].strip() in {KEY, f"{KEY}_FILE"} for line in text.splitlines()):
        return False
    separator = "" if text.endswith("\n") else "\n"
    complete = path.with_name(".env.new")
    complete.touch(mode=0o600)
    complete.write_text(f"{text}{separator}{KEY}={secrets.token_urlsafe(48)}\n")
    complete.replace(path)
    return True


def main() -> None:
    """Prepare the database, load the demo data and become `manage.py serve`."""
    os.chdir(ROOT)
    if KEY not in os.environ and f"{KEY}_FILE" not in os.environ:
        write_key(ROOT / ".env")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    import django  # noqa: PLC0415 -- the settings are named above
    from django.core.management import call_command, get_commands  # noqa: PLC0415 -- likewise

    django.setup()
    call_command("migrate", verbosity=0)
    if "demo" in get_commands():
        call_command("demo")
    os.execv(sys.executable, [sys.executable, "manage.py", "serve"])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
