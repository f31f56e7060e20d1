"""Who may see and change what, one-time logins, and the trace of changes."""

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from dashboard.models.rows import Row
from dashboard.models.systems import System


class Membership(Row):
    """A user's role in one system."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        EDITOR = "editor"
        ADMIN = "admin"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "user"], name="membership_unique")]

    def __str__(self) -> str:
        return self.role


class Invitation(Row):
    """A link by which one person gets a role in one system, until it expires; its secret is stored hashed."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=8, choices=Membership.Role.choices)
    # Whom it is for, in words of whoever made it.
    note = models.CharField(max_length=80, blank=True, default="")
    token_digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("-pk",)


class LoginToken(Row):
    """A login that works once, stored hashed: the link that `serve` prints."""

    token_digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)


class TryCount(Row):
    """How often something that has a limit was tried within some minutes: a password, a token, a link. Who tried is stored hashed."""

    who_digest = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField()


class SignIn(Row):
    """A browser in which an account is signed in; it goes with the session."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ins")
    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    began_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField()
    address = models.CharField(max_length=60, blank=True, default="")
    browser = models.CharField(max_length=40)


class OpenIdentity(Row):
    """Somebody as a provider of OpenID Connect knows them, and the account that is theirs here: one of each provider."""

    issuer = models.CharField(max_length=200)
    # What the provider calls them for ever; names and addresses may pass to others.
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="open_identities"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "open identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="open_identity_subject"),
            models.UniqueConstraint(fields=["issuer", "user"], name="open_identity_user"),
        ]


class ApiToken(Row):
    """A token that acts for its user in the API, stored hashed: for reading or also for writing, until it expires.

    Of a `system` it acts there alone.
    """

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"

    name = models.CharField(max_length=80)
    token_digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    scope = models.CharField(max_length=5, choices=Scope.choices)
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)

    @property
    def state(self) -> str:
        """Whether it is living, expired or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        return "living" if self.expires_at > timezone.now() else "expired"


class AuditEntry(Row):
    """The trace that changes leave: who did what to which system, when and from where."""

    at = models.DateTimeField(auto_now_add=True)
    # The address that the request came from; blank for jobs and commands.
    address = models.CharField(max_length=60, blank=True, default="")
    actor = models.CharField(max_length=150)
    action = models.CharField(max_length=60)
    # The system's slug as text: the trace outlives the system.
    system_slug = models.CharField(max_length=80, blank=True, default="")
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["system_slug", "-id"], name="audit_of_system")]

    def __str__(self) -> str:
        return self.action
