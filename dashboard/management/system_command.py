"""What the commands about one system share: its name in front, its access resolved once, one way to refuse input."""

from abc import abstractmethod
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import Access, AccessError, Principal, access_to
from dashboard.selectors.systems import find_slug

BAD_INPUT = 2


class SystemCommand(BaseCommand):
    """A command about one system. What its `refusals` say ends it with exit code 2, as a system that is not there."""

    refusals: ClassVar[tuple[type[Exception], ...]] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """The system; a command adds its own arguments behind."""
        parser.add_argument("system", help="a system's name or address")

    def handle(self, *_: Any, **options: Any) -> None:
        """Find the system, then do the command's work."""
        operator = Principal.operator()
        refusals: tuple[type[Exception], ...] = (AccessError, *self.refusals)
        try:
            self.perform(access_to(operator, find_slug(principal=operator, name=options["system"])), options)
        except refusals as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from error

    @abstractmethod
    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """The command's work on the system."""

    def note(self, text: str) -> None:
        """Write to standard error what is no error: progress, remarks. Not in red."""
        self.stderr.write(text, str)
