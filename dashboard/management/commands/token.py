"""`manage.py token`: make, list and revoke tokens for the API in the terminal."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import AccessError, Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.models import ApiToken
from dashboard.selectors.tokens import list_tokens
from dashboard.services.tokens import MAX_DAYS, create_token, revoke_token


class Command(BaseCommand):
    """Tokens in the terminal."""

    help = "Makes a token that acts for an account in the API, lists all tokens, revokes one."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser(
            "create", help="make a token; its secret is written once, to standard output"
        )
        create.add_argument("username", help="the account that it acts for")
        create.add_argument("--name", required=True, help="what it is for, in up to 80 characters")
        scopes = " or ".join(ApiToken.Scope.values)
        create.add_argument("--scope", default="read", help=f"{scopes} (read)")
        create.add_argument("--system", default="", help="the address of the one system that it is for (all)")
        create.add_argument("--days", type=int, default=90, help=f"how long it lives, 1 to {MAX_DAYS} (90)")
        listing = verbs.add_parser("list", help="all tokens, the newest first")
        listing.add_argument("--json", action="store_true", help="one JSON object per line")
        revoke = verbs.add_parser("revoke", help="let a token act for nobody any more")
        revoke.add_argument("id", type=int, help="the token's number")

    @refusing(AccessError, Refused)
    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        """Call the verb's selector or service."""
        operator = Principal.operator()
        if verb == "create":
            named = {name: options[name] for name in ("username", "name", "scope", "system", "days")}
            token, secret = create_token(principal=operator, **named)
            self.stderr.write(
                f"token {token.pk} until {token.expires_at:%Y-%m-%d}; it is shown this once:", str
            )
            self.stdout.write(secret)
        elif verb == "revoke":
            revoke_token(principal=operator, token_id=options["id"])
            self.stdout.write(f"token {options['id']} is revoked")
        else:
            for token in list_tokens(principal=operator):
                row = {
                    "id": token.pk,
                    "user": token.user.get_username(),
                    "name": token.name,
                    "scope": token.scope,
                    "system": token.system.slug if token.system else "",
                    "state": token.state,
                    "expires": f"{token.expires_at:%Y-%m-%d}",
                    "last_used": f"{token.last_used_at:%Y-%m-%d}" if token.last_used_at else "",
                }
                line = "  ".join(str(value) or "-" for value in row.values())
                self.stdout.write(json.dumps(row) if options["json"] else line)
