"""How often passwords, tokens and links may be tried: counted in the database, which all web processes share."""

from datetime import timedelta
from hashlib import sha256

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from dashboard.models import TryCount

# Tries count for so long, from the first one on.
BRAKE_MINUTES = 5


def tries(who: object) -> int:
    """How often this was tried within the last minutes."""
    found = TryCount.objects.filter(pk=_digest(who), ends_at__gt=timezone.now())
    return found.values_list("count", flat=True).first() or 0


def count_try(who: object) -> int:
    """Likewise, with the present try, which is counted.

    Not within a transaction that may be undone: the try would be, too.
    """
    now = timezone.now()
    ends_at = now + timedelta(minutes=BRAKE_MINUTES)
    with transaction.atomic():
        row, _ = TryCount.objects.get_or_create(pk=_digest(who), defaults={"ends_at": ends_at})
        # Each statement waits for others that count the same: no try is lost, and the time begins anew once.
        same = TryCount.objects.filter(pk=row.pk)
        same.filter(ends_at__lte=now).update(count=0, ends_at=ends_at)
        same.update(count=F("count") + 1)
        return same.values_list("count", flat=True).get()


def _digest(who: object) -> str:
    return sha256(repr(who).encode()).hexdigest()
