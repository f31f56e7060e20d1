"""Systems whose truth is known: made up with three kinds of noise, and published ones that were measured as a whole.

Rules of intervals were made with other seeds of the made-up ones and with `TUNED`. Nothing was made with `HELD_OUT`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.times import FloatArray
from dashboard.importers import spl_conqueror
from dashboard.importers.settings import NO_SETTINGS
from studies.papers.tables import read_records

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TUNED = ("lrzip", "brotli", "HSQLDB", "dconvert")
HELD_OUT = ("VP8", "VP9", "MariaDB", "MySQL", "OpenVPN", "FastDownward", "xz")
# Relative to a base value of 10 s.
NOISE = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class ConfigurableSystem:
    """A system with configurations (n, n_options), what they take without noise, as far as known, and a way to measure them.

    Of a published one the measured values are all that is known: they stand for the truth.
    """

    name: str
    space: OptionSpace
    configurations: IntArray
    truth: FloatArray
    measure: Callable[[FloatArray, np.random.Generator], FloatArray]

    @property
    def features(self) -> int:
        """How many levels its options have off the reference: a switch counts as one."""
        return sum(size - 1 for size in self.space.sizes)


def gaussian(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The same noise everywhere."""
    return np.asarray(truth + 10.0 * NOISE * rng.normal(size=truth.shape))


def heavy_tailed(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Student's t with three degrees of freedom, of the same variance."""
    return np.asarray(truth + 10.0 * NOISE * rng.standard_t(3, size=truth.shape) / np.sqrt(3.0))


def heteroscedastic(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Noise that grows with the value, and differs between configurations by a factor of e to either side."""
    spread = np.exp(0.5 * rng.normal(size=(len(truth), *(1,) * (truth.ndim - 1))))
    return np.asarray(truth * (1.0 + 1.5 * NOISE * spread * rng.normal(size=truth.shape)))


NOISES = {"Gaussian": gaussian, "heavy-tailed": heavy_tailed, "heteroscedastic": heteroscedastic}


def made_up(noise: str, switches: int, seed: int) -> ConfigurableSystem:
    """Half of the switches matter, from 0.2 to 20 % of the base, with pairs and one triple among them."""
    rng = np.random.default_rng([20_262, switches, seed])
    space = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(switches)))
    rows = ((np.arange(2**switches)[:, None] >> np.arange(switches)) & 1).astype(np.int8)
    active = rng.permutation(switches)[: max(3, switches // 2)]
    groups = [(int(one),) for one in active]
    groups += [tuple(rng.choice(active, 2, replace=False).tolist()) for _ in range(switches // 4)]
    groups.append(tuple(rng.choice(active, 3, replace=False).tolist()))
    truth = np.full(len(rows), 10.0)
    for group in groups:
        size = float(np.exp(rng.uniform(np.log(0.02), np.log(2.0)))) * rng.choice([-1.0, 1.0])
        truth += size * rows[:, list(group)].all(axis=1)
    return ConfigurableSystem(noise, space, rows, truth, NOISES[noise])


def published(name: str) -> ConfigurableSystem | None:
    """One revision of a published system by its middle, or one of its workloads; None where the data is absent."""
    if (DATA / "performance-evolution" / name).is_dir():
        return _of_releases(name)
    return _of_workloads(name) if (DATA / "workloads" / name).is_dir() else None


def all_published() -> Iterator[tuple[ConfigurableSystem, bool]]:
    """Every published system at hand, and whether it was held aside."""
    for name in (*TUNED, *HELD_OUT):
        system = published(name)
        if system is not None:
            yield system, name in HELD_OUT


def _of_releases(name: str) -> ConfigurableSystem:
    records = read_records(
        DATA / "performance-evolution" / name, lambda source: spl_conqueror.read(source, NO_SETTINGS)
    )
    space = records.option_space()
    levels = space.encode(one.assignments for one in records.configurations)
    middle = records.revisions[len(records.revisions) // 2].name
    places = {place for place, run in enumerate(records.runs) if run.revision == middle}
    metric = next(at for at, one in enumerate(records.metrics) if one.quantity == "performance")
    table = records.measurements
    kept = (table.metric == metric) & np.isin(table.run, list(places))
    rows = levels[[records.runs[run].configuration for run in table.run[kept].tolist()]]
    return _measured(name, space, rows, table.value[kept])


def _of_workloads(name: str) -> ConfigurableSystem:
    measured = pd.read_csv(DATA / "workloads" / name / "measurements.csv.gz")
    workloads = sorted(measured["workload"].unique())
    own = measured[measured["workload"] == workloads[len(workloads) // 2]]
    values = own.groupby("config_id")["time"].median()
    values = values[values > 0]
    sample = pd.read_csv(DATA / "workloads" / name / "sample.csv.gz").set_index("config_id").loc[values.index]
    levels = {column: sorted(set(sample[column].tolist())) for column in sample.columns}
    levels = {column: own for column, own in levels.items() if len(own) > 1}
    space = OptionSpace(tuple(Option(column, tuple(own)) for column, own in levels.items()))
    rows = np.array([[own.index(one) for one in sample[column]] for column, own in levels.items()], np.int8)
    return _measured(name, space, rows.T, values.to_numpy())


def _measured(name: str, space: OptionSpace, rows: IntArray, values: FloatArray) -> ConfigurableSystem:
    distinct, first = np.unique(rows, axis=0, return_index=True)
    return ConfigurableSystem(name, space, distinct, values[first], lambda truth, _rng: truth)
