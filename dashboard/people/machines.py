"""The page of machines: which measure for this installation, and what their owners do about that."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from dashboard.access import Principal
from dashboard.people.system_views import told
from dashboard.people.teams import account_view
from dashboard.selectors.machines import list_machines
from dashboard.services.machines.registry import pause_machine, remove_machine
from dashboard.services.public_address import public_url


@account_view("GET")
def machines(request: HttpRequest, principal: Principal) -> HttpResponse:
    """One's own machines, and those that measure a system of one's own."""
    about = {
        "tab": "machines",
        "machines": list_machines(principal=principal),
        "address": public_url("", opened_at=request.build_absolute_uri("/")),
    }
    return render(request, "people/machines.html", about)


@account_view("POST")
def pause(request: HttpRequest, principal: Principal, machine_id: int) -> HttpResponse:
    """Pause a machine, or let it go on."""
    paused = request.POST.get("paused") == "1"

    def act() -> str:
        machine = pause_machine(principal=principal, machine_id=machine_id, paused=paused)
        return f"{machine.name} {'is paused: it gets no further job' if paused else 'gets jobs again'}."

    told(request, act)
    return redirect("machines")


@account_view("POST")
def remove(request: HttpRequest, principal: Principal, machine_id: int) -> HttpResponse:
    """Take a machine away."""

    def act() -> str:
        name = remove_machine(principal=principal, machine_id=machine_id)
        return f"{name} is removed: it gets nothing from here any more."

    told(request, act)
    return redirect("machines")
