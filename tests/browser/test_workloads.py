"""From a study of several workloads to the influence that turns round between them, and to one workload by itself."""

import re
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server

OPTIONS = ("fast", "check", "quiet", "write_through_to_disk", "fsync")
# The usual time in seconds, and by which factor `fast` changes it.
WORKLOADS = {
    "small.txt": (0.02, 1.5),
    "archive-of-the-linux-kernel.tar": (3.0, 0.6),
    "photographs": (40.0, 0.5),
    "logs": (7.0, 0.55),
    "database-dump.sql": (150.0, 0.45),
    "random-bytes": (900.0, 0.5),
}


def study() -> str:
    """Two releases in SPL Conqueror's shape; `check` adds a tenth everywhere, both of the last cost more together."""
    rng = np.random.default_rng(7)
    lines = [";".join([*OPTIONS, "workload", "revision", "performance"])]
    for release, (name, (level, factor)) in product(("1.0", "1.1"), WORKLOADS.items()):
        for on in product((0, 1), repeat=len(OPTIONS)):
            time = level * factor ** on[0] * 1.1 ** on[1] * 1.4 ** (on[3] * on[4]) * 1.05 ** on[3]
            lines.append(";".join(map(str, [*on, name, release, f"{time * rng.normal(1, 0.004):.9f}"])))
            # Two workloads of which the newest release was measured now and then.
            few = {"photographs": "pictures-of-cats", "logs": "mail.mbox"}.get(name)
            if few and release == "1.1" and rng.random() < 0.3:
                lines.append(
                    ";".join(map(str, [*on, few, release, f"{3 * time * rng.normal(1, 0.004):.9f}"]))
                )
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module", autouse=True)
def _studied(server: Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("study") / "measurements.csv"
    path.write_text(study())
    server.command("import", "spl-conqueror", str(path), "--system", "Packer", "--unit", "performance=s")


def test_an_influence_that_turns_round_is_found_and_one_is_looked_at_alone(
    page: Page, camera: Camera
) -> None:
    page.goto("/app/s/packer/")
    page.get_by_role("navigation", name="System").get_by_role("link", name="Workloads").click()
    sentence = page.get_by_role("heading", level=1)
    expect(sentence).to_contain_text("fast costs in some and saves in others")
    alone, terms = page.locator("#workloads-term"), page.locator("#workloads-terms")
    expect(alone).to_contain_text("fast ranges from")
    expect(alone.locator(".point").first).to_be_attached()
    # The widest numbers stand within their card.
    wide = terms.locator(".table-scroll").first
    assert wide.evaluate("one => one.scrollWidth <= one.clientWidth")
    camera.every_look(page, "workloads")

    # By keyboard, from the table.
    terms.get_by_role("button", name="check", exact=True).press("Enter")
    expect(alone).to_contain_text("check makes +10 %")
    expect(page).to_have_url(re.compile("term=check"))
    expect(terms.get_by_role("button", name="check", exact=True)).to_have_attribute("aria-pressed", "true")

    # By the mouse, from the map: its first row is the influence that differs most.
    cells = page.locator("#workloads-map .nsewdrag").first
    cells.hover(position={"x": 12, "y": 8})
    expect(page.locator("#workloads-map .hovertext")).to_contain_text("fast in small.txt")
    cells.click(position={"x": 12, "y": 8})
    expect(alone).to_contain_text("fast ranges from")
    expect(page).to_have_url(re.compile("term=fast"))

    page.locator("#workloads-map").get_by_role("button", name="Table").click()
    expect(page.locator("#workloads-map-grid")).to_contain_text("costs in one, saves in another")
    camera.every_look(page, "workloads-table")

    page.get_by_label("Choose: revision, now 1.1").click()
    page.get_by_role("button", name="1.0").click()
    expect(page.locator("#workloads-subtitle")).to_contain_text("· 1.0 ·")
    expect(alone).to_contain_text("fast ranges from")


def test_a_workload_of_which_little_was_measured_borrows_and_another_can_be_chosen(
    page: Page, camera: Camera
) -> None:
    page.goto("/app/s/packer/workloads")
    borrowed = page.locator("#workloads-borrowed")
    expect(borrowed).to_contain_text("mail.mbox was measured in")
    expect(borrowed).to_contain_text("borrowed from 6 other workloads")
    expect(borrowed.locator(".point").first).to_be_attached()
    page.get_by_label("Choose: borrowed, now mail.mbox").click()
    page.get_by_role("button", name="pictures-of-cats").click()
    expect(borrowed).to_contain_text("pictures-of-cats was measured in")
    expect(page).to_have_url(re.compile("borrowed=pictures-of-cats"))
    borrowed.get_by_role("button", name="Table").click()
    expect(borrowed.locator("table")).to_contain_text("% own")

    # The release before has none of it.
    page.get_by_label("Choose: revision, now 1.1").click()
    page.get_by_role("button", name="1.0").click()
    expect(page.locator("#workloads-subtitle")).to_contain_text("· 1.0 ·")
    expect(borrowed).to_be_hidden()

    page.goto("/app/s/packer/workloads?borrowed=pictures-of-cats")
    expect(borrowed).to_contain_text("pictures-of-cats was measured in")
    expect(borrowed.locator(".point").first).to_be_attached()
    camera.every_look(page, "workloads-borrowed")
