"""Setting passwords: by who knows the present one, and by a one-time link for who forgot it, handed over or sent by e-mail.

A link is Django's: signed for one account, good for a day, and for nothing once the password was changed or used since. It
is stored nowhere. A superuser or the command line makes it, since it gives the whole account away, in every system; it is
sent to nothing but the address that the account has confirmed. Asked for by e-mail, the answer is the same whether there is
such an account or not, and waits for no mail server: a job of the account sends.
"""

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db.models import Q
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from dashboard.access import Forbidden, NotFound, Principal, Refused
from dashboard.selectors.job_columns import JobRequest
from dashboard.services import audit
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.mail import NotDelivered, link_refusal, send_mail
from dashboard.services.public_address import public_url
from dashboard.services.sign_ins import end_other_sign_ins
from dashboard.services.tries import BRAKE_MINUTES, count_try

# Within the minutes: asked for from one address, from everywhere, and sent to one account.
_MOST_ASKED, _MOST_ASKED_BY_ALL, _MOST_SENT = 5, 100, 2
# Accounts may share an address.
_MOST_ACCOUNTS = 5


class PasswordMailRequest(JobRequest):
    """A link for a new password of the account that the job is of."""

    kind: ClassVar = "send password link"


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
    return _reset_path(user)


def _reset_path(user: User) -> str:
    return f"/reset/{urlsafe_base64_encode(force_bytes(user.pk))}/{default_token_generator.make_token(user)}/"


def mail_reset_links(*, words: str, address: str) -> None:
    """Have a link for a new password sent to the accounts of a name or an e-mail address, if there are any.

    `address` is where the request comes from. Raises `Refused` without a mail server or an address of our own, and after too
    many tries.
    """
    if refusal := link_refusal():
        raise Refused(refusal)
    for who, most in ((address, _MOST_ASKED), (None, _MOST_ASKED_BY_ALL)):
        if count_try(("password link", who)) > most:
            raise Refused(f"too many tries: wait {BRAKE_MINUTES} minutes")
    words = words.replace("\0", "").strip()[:254]
    found = User.objects.filter(Q(username=words) | Q(email__iexact=words), is_active=True).exclude(email="")
    for user in found.order_by("pk")[:_MOST_ACCOUNTS]:
        if count_try(("password mail", user.pk)) <= _MOST_SENT:
            enqueue(Principal.of_account(user), PasswordMailRequest(), title="Send a link for a new password")


def mail_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that sends this link; repeated, another one is sent. Raises `NotDelivered`."""
    user = User.objects.get(pk=context.principal.user_id or 0)
    if refusal := link_refusal():
        raise NotDelivered(refusal)
    link = public_url(_reset_path(user), opened_at="")
    name = user.get_username()
    text = (
        f"Somebody asked for a new password of {name}.\n\nIf that was you, set it here within a day; the link works once:"
        f"\n{link}\n\nIf not, do nothing: the password stays as it is.\n"
    )
    if user.email:
        send_mail(user.email, f"[Perfatlas] A new password for {name}", text)
        audit.record(context.principal, "send password link", "")
    return {}


def note_new_password(*, principal: Principal, session_key: str | None, how: str) -> None:
    """Leave a trace of a new password, and end every other sign-in of the account."""
    audit.record(principal, "set password", "", how=how)
    end_other_sign_ins(principal=principal, session_key=session_key)
