"""Taking files from a browser or a program: from who is known, where files are asked for, none larger than an import may be."""

from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock

from django.conf import settings
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.api.problems import problem
from dashboard.services.logins import address_of
from dashboard.services.machines.registry import machine_of_secret
from dashboard.services.tokens import TokenRefused, owner_of_secret, principal_of_token

MAX_UPLOAD = 512 << 20
# Who is not signed in sends a name and a password, a program what it wants; the web server holds so much before it asks anybody.
_MOST_OF_STRANGERS = 128 << 10
# Each holds a thread of the web server for as long as it takes.
_MOST_AT_ONCE = 3
# A place stays for others, however slowly somebody sends.
_MOST_OF_ONE = 2
_sending: Counter[int | None] = Counter()
_lock = Lock()


def _length(request: HttpRequest) -> int:
    return int(request.META.get("CONTENT_LENGTH") or 0)


def _takes_files(request: HttpRequest) -> bool:
    if request.path == reverse("import"):
        return bool(request.user.is_authenticated)
    if request.path == reverse("api:send_runs"):
        return _is_of(machine_of_secret, request)
    return request.path == reverse("api:send_file") and _is_of(principal_of_token, request)


def _is_of(known: Callable[..., object], request: HttpRequest) -> bool:
    """Whether a living secret stands in the header of a request, which is `known`: the API says later what that opens."""
    try:
        known(secret=secret_of(request), address=address_of(request))
    except TokenRefused:
        return False
    return True


def secret_of(request: HttpRequest) -> str:
    """The token in the header of a request; blank for none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def refusal(request: HttpRequest, status: HTTPStatus, detail: str, **headers: str) -> HttpResponse:
    """What a request is refused with: in the API in the shape of all its errors, elsewhere a sentence."""
    if request.path.startswith(reverse("api:openapi").removesuffix("openapi.json")):
        return problem(status, detail, headers=headers)
    return HttpResponse(f"{detail}\n", "text/plain", status, headers=headers)


def refuse_bodies(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that refuses what nobody asked for before a byte of it is read: files, and bodies of strangers."""

    def refuse(request: HttpRequest) -> HttpResponse:
        if _length(request) <= _MOST_OF_STRANGERS:
            return answer(request)
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE if request.user.is_authenticated else _MOST_OF_STRANGERS
        if _length(request) <= (most or 0):
            return answer(request)
        if not _takes_files(request) or _length(request) > MAX_UPLOAD:
            text = f"This is too large: a file to import has at most {MAX_UPLOAD >> 20} MB."
            return refusal(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        sender = request.user.pk if request.user.is_authenticated else owner_of_secret(secret_of(request))
        with _lock:
            has_place = _sending.total() < _MOST_AT_ONCE and _sending[sender] < _MOST_OF_ONE
            _sending[sender] += has_place
        if not has_place:
            text = "Other files are coming in just now. Send yours again in a minute."
            return refusal(request, HTTPStatus.SERVICE_UNAVAILABLE, text, **{"Retry-After": "60"})
        try:
            return answer(request)
        finally:
            with _lock:
                _sending[sender] -= 1

    return refuse


class LimitedUpload(TemporaryFileUploadHandler):
    """Writes a file to disk piece by piece; of a request that announces too much nothing is kept or read further.

    Nor is a file from somebody who is not known, or sent to another address than those of imports. The web server lets no
    more come in than a request announces.
    """

    def new_file(self, *arguments: object, **named: object) -> None:
        """Begin a file."""
        if self.request is None or not _takes_files(self.request):
            raise StopUpload(connection_reset=True)
        super().new_file(*arguments, **named)  # type: ignore[arg-type] # handed on as they came

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep a piece of the file."""
        if self.request is not None and _length(self.request) > MAX_UPLOAD:
            raise StopUpload(connection_reset=True)
        super().receive_data_chunk(raw_data, start)
