"""A model that is no better than expecting the mean says so above all that it says of options."""

from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from itertools import product

import numpy as np
import pytest
from django.core.management import call_command

from dashboard.access import Principal, access_to
from dashboard.figures.accuracy_words import unchecked_text, unpredicted_text
from dashboard.management.what_if_output import quality_line
from dashboard.pages.influences.page import layout as influences_layout
from dashboard.pages.influences.page import show_influences
from dashboard.pages.influences.parts import kind_text
from dashboard.pages.lens import Lens
from dashboard.pages.overview.page import layout as overview_layout
from dashboard.pages.what_if.page import show_what_if
from dashboard.services.performance_models.learned import learn
from tests.dashboard.influences_samples import influences, term
from tests.dashboard.pages.test_factors_in_workloads import text

pytestmark = pytest.mark.django_db
ORDER = "Nothing shows that this model tells faster configurations from slower ones: its rank correlation is"
ERROR = "is no smaller than that of expecting of each configuration the mean of the others"


def rows(effect: float, most: int = 64) -> str:
    """Six options: one adds `effect` s to 10 s, and what else differs is noise."""
    noise = np.random.default_rng(3).normal(size=most).tolist()
    told = zip(product((0, 1), repeat=6), noise, strict=False)
    measured = (";".join(map(str, [*chosen, 10 + effect * chosen[5] + one])) for chosen, one in told)
    return "\n".join(["a;b;c;d;e;f;time", *measured]) + "\n"


def test_a_model_of_noise_is_warned_of_on_every_page_and_by_the_commands(
    study: Callable[..., Principal],
) -> None:
    access = access_to(study(rows(0.0), name="Noise", metric="time"), "noise")
    learn(access=access)
    lens = Lens.read({})
    pages = {
        "overview": overview_layout(access, "", lens),
        "influences": influences_layout(access, "", lens),
        "again": show_influences(access, lens=lens, scheme=None, chosen={})["page"][0],
        "what-if": show_what_if(access, Lens.read({"compared": "a"}), None)[0],
    }
    out = StringIO()
    call_command("best", "noise", stdout=out)
    said = {name: text(page) for name, page in pages.items()} | {"best": out.getvalue()}
    assert not [name for name, own in said.items() if ERROR not in own and ORDER not in own]


def test_a_model_that_knows_the_option_is_not(study: Callable[..., Principal]) -> None:
    access = access_to(study(rows(6.0), name="Known", metric="time"), "known")
    learn(access=access)
    shown = text(overview_layout(access, "", Lens.read({})))
    assert ORDER not in shown
    assert ERROR not in shown


def test_a_command_says_so_too_where_no_order_is_known() -> None:
    """A model that predicts the same of all orders nothing."""
    found = influences(term("A", 1.0))
    quality = replace(found.quality, rank_correlation=None, regret=None, error=12.0, checked=12)
    line = quality_line(replace(found, quality=quality, error_of_mean=11.0))
    assert "is not known" in line
    assert ERROR in line


def test_few_configurations_say_nothing(study: Callable[..., Principal]) -> None:
    access = access_to(study(rows(0.0, most=9), name="Few", metric="time"), "few")
    learn(access=access)
    shown = text(overview_layout(access, "", Lens.read({})))
    assert ORDER not in shown
    assert ERROR not in shown


def test_a_model_of_whole_runs_is_not_said_to_lack_measurements_or_to_be_of_regions() -> None:
    """Nothing is left to check it against: it is made of all that was measured."""
    found = influences(term("A", 1.0))
    whole = replace(found, model=replace(found.model, regions=0, configurations=79))
    assert unchecked_text(found) == "too few configurations were measured end to end"
    assert "nothing is left to check it against" in quality_line(whole)
    assert "measured as a whole" in kind_text(whole.model)
    assert "measured by region" in kind_text(found.model)


def test_the_best_is_told_to_be_of_those_that_are_predicted() -> None:
    """Of 24 of 864 configurations, the best of all is not known."""
    found = influences(term("A", 1.0))
    assert unpredicted_text(found) == ""
    assert "cannot be told from what was measured" in unpredicted_text(replace(found, undetermined=253))
    few = replace(found, model=replace(found.model, regions=0, configurations=24, whole_grid=False))
    assert "of the 24 measured configurations alone" in unpredicted_text(few).replace("\u00a0", " ")
