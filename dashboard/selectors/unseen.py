"""What imports under way have written ahead: nobody is to see it before all of it is shown."""

from django.db.models import Model

from dashboard.models import Batch

# Under this name a batch that is being written notes the ids of the rows that were made for it, by model.
CREATED = "created"


def unseen(model: type[Model]) -> frozenset[int]:
    """The ids of the rows of `model` that imports under way have made, of all systems. One query. For selectors."""
    writing = Batch.objects.filter(state=Batch.State.WRITING, manifest__has_key=CREATED)
    manifests = writing.values_list("manifest", flat=True)
    return frozenset(pk for manifest in manifests for pk in manifest[CREATED].get(model.__name__, ()))
