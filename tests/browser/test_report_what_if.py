"""The what-if inside a report: a script without any server says what the model says, of every configuration."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.design import terms_up_to
from analytics.influence.frozen import FrozenModel, frozen
from analytics.influence.learned import learn_linear
from analytics.influence.models import fit
from analytics.influence.terms import Estimate
from dashboard.figures.numbers import estimate_text, scales_of
from dashboard.report_files import report_file
from dashboard.selectors.reports import FrozenOption, FrozenWhatIf, ReportSection
from tests.analytics.strategies import every_configuration, measured
from tests.browser.pictures import Camera

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True)), Option("C", (1, 2, 3, 4, 5, 6))))
EVERY = every_configuration(SPACE)
# What the script finds of each of `EVERY`.
Told = list[Estimate]


def _composed() -> tuple[FrozenModel, Told]:
    """Of three regions whose partitions overlap, with noise that they share; C at its last level was never measured."""
    partitions = [
        Partition.from_formulas(SPACE, ["!A", "A & !B", "A & B"]),
        Partition.from_formulas(SPACE, ["!B", "B"]),
        Partition.exhaustive(SPACE, "BC"),
    ]
    rng = np.random.default_rng(5)
    rows = EVERY[EVERY[:, 2] < 5]
    truth = np.stack([0.2 * part.assign(rows) + 0.013 for part in partitions])[:, :, np.newaxis]
    noise = rng.normal(0, 0.02, (1, len(rows), 3)) + rng.normal(0, 0.01, (3, len(rows), 3))
    model = fit(measured(SPACE, partitions, rows, truth + noise))
    return frozen(model), [model.between(row, row).terms.estimates()[0] for row in EVERY]


def _learned() -> tuple[FrozenModel, Told]:
    """From configurations in which A and B always changed together: one of them alone is not determined."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    values = np.random.default_rng(6).normal(10.0, 1.0, len(rows))
    model = learn_linear(SPACE, terms_up_to(SPACE, 1), rows, values).model
    return frozen(model, 0.26), [Estimate.of(value, 0.26) for value in model.predict(EVERY).tolist()]


def _multiplicative() -> tuple[FrozenModel, Told]:
    """The same, of logarithms."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    values = np.random.default_rng(6).lognormal(1.0, 1.0, len(rows))
    learned = learn_linear(SPACE, terms_up_to(SPACE, 1), rows, values, is_multiplicative=True)
    return frozen(learned.model, learned.margin), [
        learned.prediction(value) for value in learned.model.predict(EVERY).tolist()
    ]


def _never_negative() -> tuple[FrozenModel, Told]:
    """Of times around zero, as wide as they are large: some are predicted below it, some intervals reach there."""
    values = np.random.default_rng(7).normal(0.1, 0.3, len(EVERY))
    model = learn_linear(SPACE, terms_up_to(SPACE, 1), EVERY, values).model
    told = [Estimate.of(value, 0.26).never_negative() for value in model.predict(EVERY).tolist()]
    assert min(model.predict(EVERY)) < -0.01
    return replace(frozen(model, 0.26), is_never_negative=True), told


def _written(what_if: FrozenWhatIf, path: Path) -> str:
    """The address of a file with that what-if alone."""
    section = ReportSection("What it takes", "", ("term",), (("A",),), what_if=what_if)
    system = SimpleNamespace(name="Supposed", data_version=1)
    report = SimpleNamespace(
        title="What it takes",
        system=system,
        author="erin",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        data_version=1,
        software_version="1",
    )
    models = {"models": [asdict(what_if.model)], "views": [{**asdict(what_if), "model": 0}]}
    context = {
        "report": report,
        "shown": {"facts": ()},
        "figures": [None],
        "small_library": "",
        "sections": [(section, "", [["A"]])],
        "what_ifs": models,
    }
    path.write_text(report_file(context), encoding="utf-8")
    return path.as_uri()


def _what_if(model: FrozenModel, valid: ValidConfigurations | None = None) -> FrozenWhatIf:
    options = (
        FrozenOption(one.name, tuple(map(one.text, range(len(one.levels)))), is_varied=True)
        for one in SPACE.options
    )
    layers = () if valid is None else tuple(tuple(map(tuple, layer.tolist())) for layer in valid.layers)
    scales = tuple((scale.unit, scale.factor) for scale in scales_of("s"))
    order = () if valid is None else valid.order
    return FrozenWhatIf("It takes {}", scales, tuple(options), (0, 0, 0), model, order, layers)


def _set(page: Page, levels: list[int]) -> None:
    """Press what makes that configuration."""
    for option, level in zip(SPACE.options[:2], levels, strict=False):
        page.get_by_role("button", name=f"{option.name}: {option.text(level)}", exact=True).click()
    page.get_by_role("combobox", name="C").select_option(SPACE.options[2].text(levels[2]))


@pytest.mark.parametrize("kind", ["composed", "learned", "multiplicative", "never_negative"])
def test_every_configuration_is_predicted_as_by_the_server(opened: Page, tmp_path: Path, kind: str) -> None:
    makers = {
        "composed": _composed,
        "learned": _learned,
        "multiplicative": _multiplicative,
        "never_negative": _never_negative,
    }
    model, told = makers[kind]()
    opened.goto(_written(_what_if(model), tmp_path / "report.html"))
    output = opened.locator(".what-if-said")
    known = 0
    for row, one in zip(EVERY.tolist(), told, strict=True):
        _set(opened, row)
        if not np.isfinite(one.value):
            expect(output).to_contain_text("nothing measured tells of it")
            assert output.get_attribute("data-value") == ""
            continue
        known += 1
        assert float(output.get_attribute("data-value") or "nan") == pytest.approx(one.value, rel=1e-9)
        amount, _, interval = estimate_text(one).partition(" (")
        if one.ends is not None:
            expect(output.locator("span")).to_contain_text(f"95 % interval: {interval.removesuffix(')')}")
        else:
            assert float(output.get_attribute("data-margin") or "nan") == pytest.approx(one.margin, rel=1e-4)
        expect(output.locator("strong")).to_contain_text(f"It takes {amount} ")
        assert ("below zero" in output.inner_text()) == (model.is_never_negative and one.value < 0)
    assert known == {"composed": 20, "learned": 12, "multiplicative": 12, "never_negative": 24}[kind]


def test_what_is_not_valid_is_not_predicted(opened: Page, tmp_path: Path, camera: Camera) -> None:
    """A with C at its second level is forbidden, and so is B without A."""
    model, _ = _composed()
    valid = ValidConfigurations.unconstrained(SPACE).without([{0: 1, 2: 1}, {0: 0, 1: 1}])
    opened.goto(_written(_what_if(model, valid), tmp_path / "report.html"))
    output = opened.locator(".what-if-said")
    for row, allowed in zip(EVERY.tolist(), valid.allows(EVERY).tolist(), strict=True):
        _set(opened, row)
        if allowed:
            expect(output).not_to_contain_text("Not valid")
        else:
            expect(output).to_contain_text("Not valid by the feature model")
            assert output.get_attribute("data-value") == ""
    camera.every_look(opened, "report-what-if")
    opened.get_by_role("button", name="Back to where it began").click()
    expect(output).to_contain_text("by default")
