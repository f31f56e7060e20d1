"""Reads a published system into arrays, without any check: a small oracle beside the importer of the product."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.partitions import partitions_of
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.times import FloatArray, RegionTimes


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """Measurements, ground truth (seconds), corrections and what the model must reproduce."""

    times: RegionTimes
    configurations: IntArray
    truth: FloatArray
    corrections: tuple[OverheadCorrection, ...]
    correction_of_predictions: str
    predictions: FloatArray
    subspace_times: pd.DataFrame
    local_models: dict[str, dict[str, float]]
    expected: dict[str, Any]


def read_system(folder: Path) -> PublishedSystem:
    """The system in `folder`, laid out as its README says."""
    manifest = json.loads((folder / "manifest.json").read_text())
    names = pd.read_csv(folder / "options.csv")["name"].tolist()
    truth = pd.read_csv(folder / "groundtruth.csv")
    published = pd.read_csv(folder / "published_predictions.csv").set_index("config_id")["predicted_time_s"]
    fits = pd.read_csv(folder / "published_corrections.csv")
    return PublishedSystem(
        times=_region_times(folder, manifest, names),
        configurations=truth[names].to_numpy(dtype=np.int8),
        truth=truth["time_s"].to_numpy(),
        corrections=tuple(
            OverheadCorrection(str(row[0]), row[1], row[2]) for row in fits.itertuples(index=False)
        ),
        correction_of_predictions=manifest["published_predictions_correction"],
        predictions=truth["config_id"].map(published).to_numpy(),
        subspace_times=pd.read_csv(folder / "published_subspace_times.csv.gz"),
        local_models=json.loads((folder / "published_local_models.json").read_text())["models"],
        expected=json.loads((folder / "expected.json").read_text()),
    )


def _region_times(folder: Path, manifest: dict[str, Any], names: list[str]) -> RegionTimes:
    space = OptionSpace(tuple(Option(name, (False, True)) for name in names))
    regions = pd.Index(pd.read_csv(folder / "regions.csv")["region_id"])
    configs = pd.read_csv(folder / "configs.csv")
    ids = pd.Index(configs["config_id"])
    runs = pd.read_csv(folder / "runs.csv")
    repetitions = pd.Index(sorted(runs["iteration"].unique()))
    rows = pd.read_csv(folder / "region_measurements.csv.gz")
    values = np.zeros((len(regions), len(ids), len(repetitions)))
    places = (
        regions.get_indexer(rows["region_id"]),
        ids.get_indexer(rows["config_id"]),
        repetitions.get_indexer(rows["iteration"]),
    )
    values[places] = rows["self_time_us"] / 1e6
    ran = np.zeros((len(ids), len(repetitions)), dtype=bool)
    ran[ids.get_indexer(runs["config_id"]), repetitions.get_indexer(runs["iteration"])] = True
    partitions = partitions_of(space, json.loads((folder / "partitions.json").read_text()))
    return RegionTimes(
        space=space,
        regions=tuple(regions),
        partitions=tuple(partitions[region] for region in regions),
        configurations=configs[names].to_numpy(dtype=np.int8),
        values=values,
        ran=ran,
        aggregate_repetitions=manifest["aggregate_repetitions"],
        aggregate_configurations=manifest["aggregate_configurations"],
        program_region=manifest["program_region"],
        offset=manifest["program_region_offset_seconds"],
    )
