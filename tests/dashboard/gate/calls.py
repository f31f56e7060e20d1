"""Calls as the explorer's script makes them."""

import json
from typing import Any

from django.test import Client

from dashboard.dash_app import dash_app

ADDRESS = "/app/_dash-update-component"


def signed_in(user: Any, **settings: Any) -> Client:
    """A browser in which `user` signed in."""
    client = Client(**settings)
    client.force_login(user)
    return client


def call(client: Client, first_output: str, *inputs: object, state: tuple[object, ...] = ()) -> Any:
    """Answer the call whose first output is `first_output` (`id.property`), with these values of inputs and state."""
    output = next(
        key for key in dash_app.callback_map if key == first_output or key.startswith(f"..{first_output}...")
    )
    known = dash_app.callback_map[output]
    outputs = [
        dict(zip(("id", "property"), part.rsplit(".", 1), strict=True))
        for part in output.strip(".").split("...")
    ]
    body = {
        "output": output,
        "outputs": outputs if output.startswith("..") else outputs[0],
        "inputs": [{**one, "value": value} for one, value in zip(known["inputs"], inputs, strict=True)],
        "state": [{**one, "value": value} for one, value in zip(known["state"], state, strict=True)],
        "changedPropIds": [],
    }
    return client.post(ADDRESS, json.dumps(body), content_type="application/json")
