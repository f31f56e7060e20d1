"""`manage.py password`: the link by which somebody who forgot a password sets a new one."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import AccessError, Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.passwords import reset_path
from dashboard.services.public_address import public_url
from dashboard.services.serving.start import served_address


class Command(BaseCommand):
    """A link for a new password."""

    help = "Writes a link by which an account gets a new password, once, within a day."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("username", help="the account")

    @refusing(AccessError, Refused)
    def handle(self, *_: Any, username: str, **__: Any) -> None:
        """Call the service."""
        path = reset_path(principal=Principal.operator(), username=username)
        self.stdout.write(public_url(path, opened_at=served_address()))
