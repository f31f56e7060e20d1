"""The lens and the addresses: what is selected survives every way to a page."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.pages.addresses import SECTIONS, Address, address, read_address
from dashboard.pages.lens import CARRIED, Lens

texts = st.text(min_size=1, max_size=20).filter(lambda text: "\x00" not in text and text.isprintable())
lenses = st.builds(
    lambda carried, settings: Lens.read({**settings, **carried}),
    st.dictionaries(st.sampled_from(CARRIED), texts),
    st.dictionaries(st.sampled_from(["threshold", "degree"]), texts),
)


@given(lenses)
def test_a_lens_is_what_its_data_say(lens: Lens) -> None:
    assert Lens.read(lens.data()) == lens


@given(lenses)
def test_the_address_carries_the_selection_and_leaves_settings_behind(lens: Lens) -> None:
    assert Lens.of_query(lens.query()) == Lens.read({name: lens.data().get(name) for name in CARRIED})


@given(texts, st.sampled_from(sorted(SECTIONS)), texts, lenses)
def test_an_address_leads_to_its_place(slug: str, section: str, key: str, lens: Lens) -> None:
    """Keys hold slashes, dots, parentheses, anything."""
    wanted = key if section else ""
    path, _, query = address(slug, section, wanted, lens).partition("?")
    assert read_address(path) == Address(slug, section, wanted)
    assert Lens.of_query(query).query() == lens.query()


def test_the_root_is_the_list_of_systems_and_anything_else_is_no_place() -> None:
    assert read_address("/app/") == read_address("/app") == read_address(None) == Address()
    for nowhere in ("/app/s/", "/app/s//influences", "/app/s/a/b", "/app/x", "/elsewhere"):
        assert read_address(nowhere) is None


def test_an_empty_value_removes_a_selection() -> None:
    lens = Lens(term="A*B", region="r").but(term="").setting(threshold="0.3").setting(threshold="")
    assert lens == Lens(region="r")


def test_of_a_repeated_name_the_last_counts() -> None:
    assert Lens.of_query("?term=A&term=B&slug=other").term == "B"
