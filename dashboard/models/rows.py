"""What all tables share."""

from django.db import models


class Row(models.Model):
    """A row that people read as its name, where it has one, else as what it is and its id."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return getattr(self, "name", "") or f"{self._meta.verbose_name} {self.pk}"
