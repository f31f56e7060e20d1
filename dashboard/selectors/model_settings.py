"""How a learned model came about: the settings that its row stores."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from dashboard.models import PerformanceModel

# {option: label, or several labels of which any will do}.
WrittenTerm: TypeAlias = Mapping[str, str | Sequence[str]]
TermsFrom: TypeAlias = Literal["own", "published"]
# Where the terms of a learned model come from.
PUBLISHED: Literal["published"] = "published"
OWN: Literal["own"] = "own"


class LearnedSettings(BaseModel):
    """Whose choice the terms of a learned model are, and the terms; `left_out` are published ones over other options.

    `degree`, `most`, `rows` and `seed` are those of an own choice (`choose_terms`).
    """

    model_config = ConfigDict(frozen=True)

    terms: TermsFrom
    levels: list[dict[str, str | list[str]]]
    left_out: list[str] = []
    degree: int | None = None
    most: int | None = None
    rows: int | None = None
    seed: int | None = None

    @property
    def remark(self) -> str:
        """What else is to be said of the terms, "" for nothing."""
        left_out = len(self.left_out)
        return f"{left_out} published terms that the options do not tell are left out" if left_out else ""


class HybridSettings(BaseModel):
    """The seed of a hybrid model's intervals, whether options that taint regions were known, and how much it is from."""

    model_config = ConfigDict(frozen=True)

    seed: int
    tainted: bool
    configurations: int


def learned_settings(model: PerformanceModel) -> LearnedSettings:
    """The settings of a learned model."""
    return LearnedSettings.model_validate(model.settings)


def hybrid_settings(stored: Mapping[str, Any]) -> HybridSettings:
    """The settings of a hybrid model, as its row stores them."""
    return HybridSettings.model_validate(stored)


def terms_from(model: PerformanceModel) -> str:
    """Whose choice the terms of a learned model are, "" of models of other kinds."""
    # Lists of models ask for this: the terms are not looked at.
    return str(model.settings.get("terms", ""))


def as_json(settings: LearnedSettings | HybridSettings) -> dict[str, Any]:
    """The settings as a row stores them: what was not set stays away."""
    return settings.model_dump(mode="json", exclude_unset=True)


def settings_digest(settings: Mapping[str, Any]) -> str:
    """What tells these settings of a stored result from any others."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
