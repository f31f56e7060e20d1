"""Teams: named groups of accounts, whose role in a system counts for each of them."""

from django.conf import settings
from django.db import models

from dashboard.models.access import Membership
from dashboard.models.rows import Row
from dashboard.models.systems import System


class Team(Row):
    """A named group of accounts."""

    name = models.CharField(max_length=80, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class TeamMember(Row):
    """An account in a team; the team's admins say who is in it."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="team_members")
    is_admin = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="team_member_unique")]


class TeamRole(Row):
    """A team's role in one system."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="team_roles")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="roles")
    role = models.CharField(max_length=8, choices=Membership.Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "team"], name="team_role_unique")]
