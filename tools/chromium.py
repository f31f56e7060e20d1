"""The browser of the browser tests: one that the machine has, started so that it speaks to nobody but us."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """The program's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def flags() -> list[str]:
    """What it is started with. Its sandbox needs an ordinary user: as root it is left out."""
    quiet = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    return [*quiet, "--no-sandbox"] if os.geteuid() == 0 else quiet
