"""What commands share: one way to refuse input; about one system its name in front, its access resolved once."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import Access, AccessError, Principal, Refused, access_to
from dashboard.selectors.releases import revision_called, telling_of
from dashboard.selectors.systems import find_slug

BAD_INPUT = 2
Argument: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


def argument(*names: str, **settings: Any) -> Argument:
    """An argument of a command, as `add_argument` of `argparse` takes it."""
    return names, settings


@contextmanager
def refusing(*errors: type[Exception]) -> Iterator[None]:
    """What these errors say ends the command with exit code 2."""
    try:
        yield
    except errors as error:
        raise CommandError(str(error), returncode=BAD_INPUT) from error


class SystemCommand(BaseCommand):
    """A command about one system. What is refused ends it with exit code 2, as a system that is not there."""

    # Checks are of models and addresses, which tests hold: importing every page takes a second.
    requires_system_checks = ()
    arguments: ClassVar[Sequence[Argument]] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """The system, and behind it the command's own `arguments`."""
        parser.add_argument("system", help="a system's name or address")
        for names, settings in self.arguments:
            parser.add_argument(*names, **settings)

    def handle(self, *_: Any, **options: Any) -> None:
        """Find the system, then do the command's work."""
        operator = Principal.operator()
        with refusing(AccessError, Refused):
            access = access_to(operator, find_slug(principal=operator, name=options["system"]))
            if written := options.get("revision"):
                options["revision"] = revision_called(access.system, written)
            with telling_of(access.system):
                self.perform(access, options)

    @abstractmethod
    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """The command's work on the system."""

    def note(self, text: str) -> None:
        """Write to standard error what is no error: progress, remarks. Not in red."""
        self.stderr.write(text, str)
