"""Who is asking, and the one permission check.

A principal is a user or the operator at the command line. What is asked for is resolved to an `Access` once, by
`access_to`. Pages get their principal from `current_principal`, which the gate sets for a request.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db.models import Q

from dashboard.models import Job, Membership, System, TeamRole


class Permission(Enum):
    """What a role allows, from least to most."""

    VIEW = 1
    EDIT = 2
    ADMIN = 3


GRANTED = {
    Membership.Role.VIEWER: Permission.VIEW,
    Membership.Role.EDITOR: Permission.EDIT,
    Membership.Role.ADMIN: Permission.ADMIN,
}


class Refused(Exception):
    """What was asked for is not done; the words say why."""


class AccessError(Exception):
    """Root of what the permission check refuses."""


class NotFound(AccessError):
    """The object is absent, or the principal may not even know of it: the answer is the same."""


class Forbidden(AccessError):
    """The principal sees the object, but its role does not allow the action."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token leaves of its owner's permissions: `permission` at most, and on one system (id) alone where given."""

    permission: Permission
    system_id: int | None = None


_WHOLE = Scope(Permission.ADMIN)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts: a user, or the operator at the command line (`user_id` None, allowed everything).

    `scope` is all that the user may do, less where a token acts for the user.
    """

    user_id: int | None
    name: str
    is_superuser: bool = False
    scope: Scope = _WHOLE

    @classmethod
    def operator(cls) -> "Principal":
        """The person at the command line, who owns the database anyway."""
        return cls(user_id=None, name="operator", is_superuser=True)

    @classmethod
    def of_account(cls, account: AbstractUser | AnonymousUser) -> "Principal":
        """Who is signed in, or was when a job was queued."""
        return cls(account.pk, account.get_username(), account.is_superuser)

    @classmethod
    def of_job(cls, job: Job) -> "Principal | None":
        """Who queued a job, or the job that it is a part of; None where that account is gone or locked."""
        queued = job.parent or job
        if queued.by_operator:
            return cls.operator()
        account = queued.created_by
        return cls.of_account(account) if account is not None and account.is_active else None

    @property
    def is_operator(self) -> bool:
        """Whether this is the person at the command line."""
        return self.user_id is None and self.is_superuser

    @property
    def only_system(self) -> int | None:
        """The one system (id) that this principal may see; None where roles alone decide."""
        return self.scope.system_id

    @property
    def may_begin_systems(self) -> bool:
        """Whether this principal may make a system that is not there yet."""
        granted = self.in_scope(Permission.ADMIN, None)
        return granted is not None and granted.value >= Permission.EDIT.value

    def in_scope(self, granted: Permission | None, system_id: int | None) -> Permission | None:
        """What the scope leaves of a permission granted on a system (id), None for what belongs to no system."""
        if granted is None or self.only_system not in {None, system_id}:
            return None
        return min(granted, self.scope.permission, key=lambda one: one.value)


@dataclass(frozen=True, slots=True)
class Access:
    """A system that a principal may see, and the permission that was granted: resolved once, by `access_to`.

    What stands below a request, callback, command or task takes this, or the system where no permission matters.
    """

    principal: Principal
    system: System
    permission: Permission

    @property
    def slug(self) -> str:
        """What addresses call the system."""
        return self.system.slug

    @property
    def role(self) -> str:
        """The role that has the granted permission."""
        return next(role.value for role, granted in GRANTED.items() if granted is self.permission)

    def allows(self, permission: Permission) -> bool:
        """Whether the granted permission includes this one. No query."""
        return self.permission.value >= permission.value

    def check(self, permission: Permission) -> None:
        """Raise `Forbidden` where the granted permission does not include this one. No query."""
        if not self.allows(permission):
            wanted = next(role.value for role, granted in GRANTED.items() if granted is permission)
            raise Forbidden(f"this needs the role {wanted} in {self.system.slug!r}")


def role_refusal(access: Access) -> str:
    """Why the acting person may change nothing of the system; "" where the role allows it."""
    return "" if access.allows(Permission.EDIT) else "This needs the role editor; yours is viewer."


current_principal: ContextVar[Principal | None] = ContextVar("current_principal", default=None)


def acting() -> Principal:
    """The principal of the present request. Raises `NotFound` outside of one."""
    principal = current_principal.get()
    if principal is None:
        raise NotFound("nobody is signed in")
    return principal


def seen_by(principal: Principal) -> Q:
    """The condition that roles and scope let a principal see a system. For selectors."""
    in_scope = Q() if principal.only_system is None else Q(pk=principal.only_system)
    if principal.is_superuser:
        return in_scope
    if principal.user_id is None:
        return Q(pk__in=[])
    own = Membership.objects.filter(user_id=principal.user_id).values("system")
    of_teams = TeamRole.objects.filter(team__members__user_id=principal.user_id).values("system")
    return in_scope & (Q(pk__in=own) | Q(pk__in=of_teams))


_GRANTED = " ".join(f"WHEN '{role.value}' THEN {granted.value}" for role, granted in GRANTED.items())
# Systems with the highest of a person's own role and those of its teams, null without any. Written out, as every page and
# callback begins with it: Django takes a millisecond to put it together, a tenth of what a callback takes.
_GRANTED_TO = f"""
SELECT dashboard_system.*, (
  SELECT MAX(CASE role {_GRANTED} END) FROM (
    SELECT role, system_id FROM dashboard_membership WHERE user_id = %s
    UNION ALL
    SELECT dashboard_teamrole.role, dashboard_teamrole.system_id FROM dashboard_teamrole
    JOIN dashboard_teammember ON dashboard_teammember.team_id = dashboard_teamrole.team_id
    WHERE dashboard_teammember.user_id = %s
  ) AS roles WHERE roles.system_id = dashboard_system.id
) AS granted FROM dashboard_system WHERE
"""  # noqa: S608 -- the roles are our own


def _access_of(principal: Principal, condition: str, value: object) -> Access | None:
    """The principal's access to the one system that a condition in SQL holds for, with `value` bound to it. One query.

    None where there is no system, and where no role lets the principal see it.
    """
    user_id = principal.user_id
    system = next(iter(System.objects.raw(_GRANTED_TO + condition, [user_id, user_id, value])), None)
    if system is None:
        return None
    # What the query adds to the row.
    granted = Permission.ADMIN if principal.is_superuser else vars(system).pop("granted")
    permission = principal.in_scope(None if granted is None else Permission(granted), system.pk)
    return None if permission is None else Access(principal, system, permission)


def permission_of(principal: Principal, system: System) -> Permission | None:
    """The principal's permission on a system, or None: the highest of its own role and those of its teams. One query."""
    if principal.is_superuser:
        return principal.in_scope(Permission.ADMIN, system.pk)
    access = _access_of(principal, "id = %s", system.pk)
    return None if access is None else access.permission


def access_to(principal: Principal, slug: str, permission: Permission = Permission.VIEW) -> Access:
    """The principal's access to the visible system `slug`. One query.

    Raises `NotFound` where the system is absent or hidden from the principal, `Forbidden` where the role is too small.
    """
    access = _access_of(principal, "visible AND slug = %s", slug)
    if access is None:
        raise NotFound(f"there is no system {slug!r} that you can see")
    access.check(permission)
    return access
