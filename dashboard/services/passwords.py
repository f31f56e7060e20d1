"""Setting passwords: by who knows the present one, and by a one-time link for who forgot it.

A link is Django's: signed for one account, good for a day, and for nothing once the password was changed or used since. It
is stored nowhere. A superuser or the command line makes it, since it gives the whole account away, in every system.
"""

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from dashboard.access import Forbidden, NotFound, Principal, Refused
from dashboard.services import audit
from dashboard.services.sign_ins import end_other_sign_ins


def reset_path(*, principal: Principal, username: str) -> str:
    """The path of a link by which an account gets a new password, once.

    Raises `Forbidden` for who is no superuser, `NotFound`, and `Refused` for a locked account.
    """
    if not principal.is_superuser:
        raise Forbidden("a superuser makes links for new passwords")
    user = User.objects.filter(username=username).first()
    if user is None:
        raise NotFound(f"there is no account {username!r}")
    if not user.is_active:
        raise Refused(f"the account {username!r} is locked: unlock it in /admin/ first")
    audit.record(principal, "make password link", "", of=username)
    return f"/reset/{urlsafe_base64_encode(force_bytes(user.pk))}/{default_token_generator.make_token(user)}/"


def note_new_password(*, principal: Principal, session_key: str | None, how: str) -> None:
    """Leave a trace of a new password, and end every other sign-in of the account."""
    audit.record(principal, "set password", "", how=how)
    end_other_sign_ins(principal=principal, session_key=session_key)
