"""Sending e-mail by the server that a setting names."""

from collections.abc import Mapping
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage

NO_MAIL_SERVER = "no mail server is set: PERFATLAS_EMAIL_URL"


class NotDelivered(Exception):
    """A message did not arrive; the words say why and name no secret. Trying again helps unless it `is_final`."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        self.is_final = is_final
        super().__init__(message)


def mail_refusal() -> str:
    """Why nobody gets e-mail; "" where they do."""
    return "" if settings.EMAIL_URL else NO_MAIL_SERVER


def link_refusal() -> str:
    """Why no link that opens an account is sent by e-mail; "" where it is.

    It begins with the setting alone: what a request calls this server is the word of whoever asks, who may name another port.
    """
    if settings.PUBLIC_URL:
        return mail_refusal()
    return mail_refusal() or "links need the address of this Perfatlas: PERFATLAS_PUBLIC_URL"


def send_mail(address: str, subject: str, text: str, heads: Mapping[str, str] | None = None) -> None:
    """Send one message to one address, as written by a program. Raises `NotDelivered`, whose words name no address."""
    if refusal := mail_refusal():
        raise NotDelivered(refusal)
    heads = {"Auto-Submitted": "auto-generated", **(heads or {})}
    try:
        EmailMessage(subject, text, to=[address], headers=heads).send()
    except SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise NotDelivered(
            "the mail server refuses the address", is_final=min(codes, default=0) >= 500
        ) from None
    except SMTPResponseException as error:
        raise NotDelivered(f"the mail server answered {error.smtp_code}", is_final=False) from None
    except (SMTPException, OSError, ValueError) as error:
        raise NotDelivered(f"the mail server does not take it ({type(error).__name__})") from None
