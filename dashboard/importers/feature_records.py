"""What importers say of feature models: the model as it was written, and where its features lie in the source."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from annotated_types import MaxLen, MinLen
from pydantic import TypeAdapter

from analytics.configurations.feature_models.features import Constraint, Feature, FeatureModel
from dashboard.importers.limits import LONGEST, OptionName, Position
from dashboard.importers.record_fields import BatchReference

_FEATURES = TypeAdapter(tuple[Feature, ...])
_CONSTRAINTS = TypeAdapter(tuple[Constraint, ...])
Path = Annotated[str, MaxLen(LONGEST["file"])]
Revision = Annotated[str, MaxLen(LONGEST["revision"])]


@dataclass(frozen=True, slots=True)
class FeatureLocationRecord:
    """A source range that belongs to a feature; lines and columns count from 1, the last ones belong to it.

    It is valid from `first_revision` on, up to but without `removed_in`; a blank one leaves that end open. `member`
    names a member that the range holds, as VaRA writes it.
    """

    feature: OptionName
    file: Annotated[str, MinLen(1), MaxLen(LONGEST["file"])]
    first_line: Position
    first_column: Position
    last_line: Position
    last_column: Position
    first_revision: Revision = ""
    removed_in: Revision = ""
    category: Literal["necessary", "inessential"] = "necessary"
    member: Path = ""


@dataclass(frozen=True, slots=True)
class FeatureModelRecord:
    """A feature model that came with a batch; `path` and `commit` tell which source its locations are of."""

    batch: BatchReference
    name: Annotated[str, MinLen(1), MaxLen(LONGEST["feature model"])]
    features: Annotated[tuple[Feature, ...], MinLen(1)]
    constraints: tuple[Constraint, ...] = ()
    path: Path = ""
    commit: Annotated[str, MaxLen(LONGEST["commit"])] = ""
    locations: tuple[FeatureLocationRecord, ...] = ()

    @property
    def model(self) -> FeatureModel:
        """The model itself. Raises `FeatureModelError` where its features are no tree."""
        return FeatureModel(self.name, self.features, self.constraints)


def payload_of(record: FeatureModelRecord) -> dict[str, Any]:
    """The model of `record` as plain values."""
    return {
        "name": record.name,
        "features": [asdict(feature) for feature in record.features],
        "constraints": [asdict(constraint) for constraint in record.constraints],
    }


def model_of(payload: dict[str, Any]) -> FeatureModel:
    """The model of a payload that `payload_of` made."""
    features = _FEATURES.validate_python(payload["features"])
    return FeatureModel(payload["name"], features, _CONSTRAINTS.validate_python(payload["constraints"]))
