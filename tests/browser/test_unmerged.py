"""A person asks what a branch that is not merged would change: its run stands where the branch left, and is compared with that."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.pictures import Camera
from tests.browser.server import Server
from tests.dashboard.importers import asv_sample as sample

BRANCH, BASE = "f" * 40, sample.COMMITS[5]


def test_what_ran_on_a_branch_is_drawn_at_its_base_and_compared_with_it(
    page: Page, server: Server, tmp_path: Path, camera: Camera
) -> None:
    folder = sample.write(sample.stepped(), tmp_path / "results")
    server.command("import", "asv", str(folder), "--system", "A branch")
    on_branch = {
        "benchmarks.json": sample.BENCHMARKS,
        "oak/machine.json": sample.machine("oak"),
        "oak/branch.json": {**sample.result(5, factor=3.0), "commit_hash": BRANCH},
    }
    found = sample.write(on_branch, tmp_path / "branch")
    server.command("import", "asv", str(found), "--system", "A branch", "--base", BASE)

    page.goto("/app/s/a-branch/histories")
    page.get_by_role("link", name="size=10)").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("became 100 % slower")
    expect(page.locator("#history-graph .legend")).to_contain_text("on an unmerged branch")
    beside = page.locator(".card", has_text="Unmerged branches")
    expect(beside).to_contain_text(f"its branch left {BASE[:10]}")
    camera.every_look(page, "unmerged-branch")

    beside.get_by_role("link", name="Compare both").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"between {BASE[:10]} and {BRANCH[:10]}")
    expect(page.locator("#two-rows")).to_contain_text("size=1000")
    expect(page.get_by_text(f"on a branch that left {BASE[:10]}")).to_be_visible()
