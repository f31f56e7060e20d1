"""Stored fits say of every change whether it is a fact at the false-alarm rate: they are made anew."""

from django.db import migrations


class Migration(migrations.Migration):
    """Deletes the fits; the bytes of their changes have another form now."""

    dependencies = [("dashboard", "0010_adjusted_points")]

    operations = [migrations.RunSQL("DELETE FROM dashboard_historyfit", migrations.RunSQL.noop)]
