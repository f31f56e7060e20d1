"""The e-mail address of an account: it is kept once a link that was sent there was opened. Before that nothing else goes there.

The link is signed and stored nowhere. It holds the address that there was before, so it works once.
"""

from datetime import timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from dashboard.access import Principal, Refused
from dashboard.services import audit
from dashboard.services.mail import NotDelivered, link_refusal, send_mail
from dashboard.services.public_address import public_url
from dashboard.services.tries import BRAKE_MINUTES, count_try

LIFE = timedelta(days=1)
LONGEST = 254
# Messages within the minutes: asked for by one account, and to one address.
_MOST_MESSAGES = 5
_SALT = "perfatlas.address"
Asked = tuple[int, str, str]


def ask_for_address(*, principal: Principal, address: str) -> None:
    """Send a link to an address, which is kept once the link was opened.

    Raises `Refused` for what is no address, after too many tries, where the mail server does not take it, and without an address
    of our own.
    """
    if refusal := link_refusal():
        raise Refused(refusal)
    address = address.strip()
    try:
        validate_email(address)
    except ValidationError:
        raise Refused("an address is written as name@example.org") from None
    if len(address) > LONGEST:
        raise Refused(f"an address has at most {LONGEST} characters, not {len(address)}")
    user = User.objects.get(pk=principal.user_id or 0)
    if address == user.email:
        raise Refused(f"{address} is the address of this account already")
    for who in (("own address", user.pk), ("mailed address", address.casefold())):
        if count_try(who) > _MOST_MESSAGES:
            raise Refused(f"too many messages: wait {BRAKE_MINUTES} minutes")
    token = signing.dumps([user.pk, user.email, address], salt=_SALT)
    link = public_url(f"/address/{token}/", opened_at="")
    text = (
        f"{user.get_username()} asks Perfatlas to send messages to this address.\n\nIf that is you, open this link within a "
        f"day, and press the button there:\n{link}\n\nIf not, do nothing: nothing else is sent to you.\n"
    )
    try:
        send_mail(address, "[Perfatlas] Is this your address?", text)
    except NotDelivered as error:
        raise Refused(str(error)) from None


def opened_address(token: str) -> Asked | None:
    """The account (id) of a link, its address before, and the new one; None for one that was mistyped or has expired."""
    try:
        user_id, before, address = signing.loads(token, salt=_SALT, max_age=LIFE)
    except signing.BadSignature:
        return None
    return user_id, before, address


def confirm_address(*, principal: Principal, asked: Asked) -> str:
    """Keep the address of a link that was opened; the address. Raises `Refused` for one of another account, or one that was used."""
    user_id, before, address = asked
    if user_id != principal.user_id:
        raise Refused("this link is of another account: sign in as that one, and open it again")
    with transaction.atomic():
        if not User.objects.filter(pk=user_id, email=before).update(email=address):
            raise Refused("this link was used: ask for another one in your account")
        audit.record(principal, "confirm e-mail address", "")
    return address


def forget_address(*, principal: Principal) -> None:
    """Take the address away: nothing is sent to the account any more."""
    with transaction.atomic():
        if User.objects.filter(pk=principal.user_id or 0).exclude(email="").update(email=""):
            audit.record(principal, "forget e-mail address", "")
