"""Places that a registered subject's own source gave are told apart from those that imports brought."""

import re
from typing import Any

from django.db import migrations, models
from packaging.version import InvalidVersion, Version

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def _is_version(name: str) -> bool:
    try:
        return str(Version(name)) == name
    except InvalidVersion:
        return False


def mark_listed(apps: Any, _editor: Any) -> None:
    """Mark the places that can only mean a release of the subject's package, or a commit of its repository.

    Who listed a place was not stored. A name of this form is looked up where the subject's revisions come from, and
    nowhere else; every other place waits until the revisions are listed anew.
    """
    places = apps.get_model("dashboard", "OrderPosition").objects.filter(order__system__subject__isnull=False)
    commits = places.filter(order__name__in=("first-parent", "all")).select_related("revision")
    releases = places.filter(order__name="releases").select_related("revision")
    known = [place.pk for place in commits if _HASH.fullmatch(place.revision.name)]
    known += [place.pk for place in releases if _is_version(place.revision.name)]
    for at in range(0, len(known), 500):
        places.filter(pk__in=known[at : at + 500]).update(listed=True)


class Migration(migrations.Migration):
    """Adds `OrderPosition.listed`."""

    dependencies = [("dashboard", "0001_first_release")]

    operations = [
        migrations.AddField("orderposition", "listed", models.BooleanField(default=False)),
        migrations.RunPython(mark_listed, migrations.RunPython.noop),
    ]
