"""A feature model as JSON, and back."""

from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from analytics.configurations.feature_models.features import Constraint, Feature, FeatureModel
from dashboard.importers.feature_records import FeatureModelRecord

_FEATURES = TypeAdapter(tuple[Feature, ...])
_CONSTRAINTS = TypeAdapter(tuple[Constraint, ...])


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
