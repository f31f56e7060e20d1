"""Who opened a page, in words that tell no more than needed: an address without its end, and the family of the browser."""

from ipaddress import ip_address, ip_network

# What a browser calls itself, from the most particular to what all others say as well.
_FAMILIES = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("Wget/", "Wget"),
    ("python", "Python"),
    ("bot", "a robot"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
# How much of an address stays: enough to tell a company from a home, too little to tell a person.
_KEPT_BITS = {4: 24, 6: 48}


def shortened_address(address: str) -> str:
    """An address without the part that tells its owner: 192.0.2.0/24, 2001:db8:1::/48; "" where it is none."""
    try:
        number = ip_address(address)
    except ValueError:
        return ""
    return str(ip_network((number, _KEPT_BITS[number.version]), strict=False))


def browser_of(user_agent: str) -> str:
    """The family of a browser, and the system that it says it runs on: "Firefox on Linux"."""
    family = _named(_FAMILIES, user_agent) or "another program"
    system = _named(_SYSTEMS, user_agent)
    return f"{family} on {system}" if system else family


def _named(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    said = user_agent.casefold()
    return next((name for mark, name in names if mark.casefold() in said), "")
