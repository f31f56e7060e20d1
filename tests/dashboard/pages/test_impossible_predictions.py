"""A prediction below zero is said to be none: influences that were learned apart do not add up there."""

from collections.abc import Callable
from io import StringIO
from itertools import product

import pytest
from django.core.management import call_command

from dashboard.access import Principal, access_to
from dashboard.pages.lens import Lens
from dashboard.pages.what_if.page import show_best, show_what_if
from dashboard.services.performance_models.learned import learn
from tests.dashboard.pages.test_factors_in_workloads import text

pytestmark = pytest.mark.django_db
SAID = "below zero, so these influences do not add up here"


def rows() -> str:
    """Each of two options saves 6 of 10 s, others add to it; what both take was never measured."""
    lines = ["left;right;a;b;c;d;time"]
    for place, chosen in enumerate(product((0, 1), repeat=6)):
        if chosen[:2] != (1, 1):
            value = 10 - 6 * chosen[0] - 6 * chosen[1] + 3 * chosen[2] + 5 * chosen[3] + 0.01 * (place % 3)
            lines.append(";".join(map(str, [*chosen, value])))
    return "\n".join(lines) + "\n"


def test_below_zero_is_told_on_the_page_and_by_the_command(study: Callable[..., Principal]) -> None:
    access = access_to(study(rows(), name="Sum", metric="time"), "sum")
    learn(access=access)
    lens = Lens.read({"compared": "left*right"})
    assert SAID in text(show_what_if(access, lens, None))
    assert SAID in text(show_best(access, lens))
    alone = Lens.read({"compared": "left"})
    assert SAID not in text(show_what_if(access, alone, None))
    out = StringIO()
    call_command("predict", "sum", "left=on,right=on", "left=on", stdout=out)
    both, one = out.getvalue().splitlines()[1:3]
    assert SAID in both
    assert SAID not in one
