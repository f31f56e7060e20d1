"""What imports under way have written ahead: nobody is to see it before all of it is shown."""

from django.db.models import Model

from dashboard.selectors.batch_manifests import batches_being_written, manifest_of


def unseen(model: type[Model]) -> frozenset[int]:
    """The ids of the rows of `model` that imports under way have made, of all systems. One query. For selectors."""
    created = (manifest_of(batch).created for batch in batches_being_written())
    return frozenset(pk for ids in created for pk in ids.get(model.__name__, ()))
