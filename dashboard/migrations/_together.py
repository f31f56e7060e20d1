"""Many tables made at once. Its name begins with a line: Django takes it for no migration."""

from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import CreateModel
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """What one `CreateModel` after another makes.

    After each one Django makes the classes of all models anew that lead to it, or that it leads to: with many models,
    most of the time. Here they are made once.
    """

    def __init__(self, *models: CreateModel) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add all models; the classes of those before are made again when somebody asks for one."""
        state.__dict__.pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState) -> None:
        """Make their tables, in the order in which they are named."""
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState) -> None:
        """Take their tables away, last first."""
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def references_model(self, name: str, app_label: str) -> bool:
        """Whether one of them is the model or leads to it."""
        return any(model.references_model(name, app_label) for model in self.models)

    def describe(self) -> str:
        """What Django prints of it."""
        return f"Create {len(self.models)} models"
