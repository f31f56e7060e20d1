"""Whose account it is that a provider of OpenID Connect tells of.

Who was here before is known by what the provider calls them for ever. Else a verified e-mail address leads to the one account
that has confirmed it, and to no other; an address that is not verified leads nowhere.
"""

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from dashboard.access import Principal, Refused
from dashboard.models import OpenIdentity
from dashboard.services import audit
from dashboard.services.addresses import LONGEST
from dashboard.services.openid import Told

# Some providers write truth as text.
_TRUE = (True, "true")
_LONGEST_NAME = 150


def account_of(told: Told) -> User:
    """The account, made or connected where it is the first time. Raises `Refused` with a sentence for its person."""
    address = _verified_address(told)
    if settings.OPENID_DOMAINS and address.rpartition("@")[2] not in settings.OPENID_DOMAINS:
        raise Refused(f"{settings.OPENID_NAME} vouches for no address of yours that is let in here.")
    name, _, value = settings.OPENID_CLAIM.partition("=")
    has = told.get(name) if name else value
    if value not in (has if isinstance(has, list) else [has]):
        raise Refused("You are not among those who are let in here: ask whoever runs Perfatlas.")
    issuer, subject = told["iss"], told["sub"]
    known = OpenIdentity.objects.filter(issuer=issuer, subject=subject).select_related("user").first()
    if known is None:
        try:
            with transaction.atomic():
                user, how = _by_address(address)
                OpenIdentity.objects.create(issuer=issuer, subject=subject, user=user)
                audit.record(Principal.of_account(user), how, "", issuer=issuer, address=address)
        except IntegrityError:
            raise Refused(
                "The account of your address belongs to somebody else there: ask whoever runs Perfatlas."
            ) from None
    else:
        user = known.user
    if not user.is_active:
        raise Refused("Your account is locked: ask whoever runs Perfatlas.")
    return user


def _verified_address(told: Told) -> str:
    """The e-mail address that the provider vouches for; "" where it vouches for none."""
    address = told.get("email")
    if told.get("email_verified") not in _TRUE or not isinstance(address, str) or not address.isascii():
        return ""
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address.lower() if len(address) <= LONGEST else ""


def _by_address(address: str) -> tuple[User, str]:
    """The account of a verified address, and what that is called in the trail. Raises `Refused`."""
    if not address:
        raise Refused(
            f"{settings.OPENID_NAME} vouches for no e-mail address of yours: have it verified there."
        )
    found = list(User.objects.filter(email__iexact=address)[:2])
    if len(found) == 1:
        if not found[0].is_active:
            raise Refused("Your account is locked: ask whoever runs Perfatlas.")
        return found[0], "connect account"
    if found:
        raise Refused(f"Several accounts have the address {address}: sign in with a password.")
    if not settings.OPENID_CREATES_ACCOUNTS:
        raise Refused(f"There is no account of {address} here: ask for an invitation.")
    if len(address) > _LONGEST_NAME or User.objects.filter(username__iexact=address).exists():
        raise Refused(f"No account can be called {address}: ask whoever runs Perfatlas.")
    return User.objects.create_user(username=address, email=address), "make account"
