"""Who is told of which changes, what was told, and how each message got on."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.models.histories import Series
from dashboard.models.jobs import Job
from dashboard.models.rows import Row
from dashboard.models.systems import Revision, System
from dashboard.models.teams import Team


class AlertRule(Row):
    """Which changes of a system are told, to whom, and when. What is blank asks for all."""

    class Shape(models.TextChoices):
        """What a webhook takes."""

        JSON = "json"
        SLACK = "slack"
        DISCORD = "discord"
        TEAMS = "teams"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="alert_rules")
    name = models.CharField(max_length=80)
    is_on = models.BooleanField(default=True)
    # Shares: of the level before, and the probability that there is a step at all.
    smallest = models.FloatField(default=0.05)
    certainty = models.FloatField(default=0.95)
    only_worse = models.BooleanField(default=True)
    # Whether what is found is measured a second time before it is told.
    measures_again = models.BooleanField(default=True)
    kind = models.CharField(max_length=16, blank=True, default="")
    quantity = models.CharField(max_length=40, blank=True, default="")
    # Each stands in the name of a history.
    words = models.CharField(max_length=200, blank=True, default="")
    # A secret: whoever knows the address may write there.
    webhook = models.CharField(max_length=1000, blank=True, default="")
    shape = models.CharField(max_length=8, choices=Shape.choices, default=Shape.JSON)
    # No message goes out from the one time of the day to the other, in that time zone; both or none.
    quiet_from = models.TimeField(null=True)
    quiet_until = models.TimeField(null=True)
    time_zone = models.CharField(max_length=60, default="UTC")
    # Where Perfatlas was opened when the rule was written: links in messages begin with it, where no setting says more.
    opened_at = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")


class AlertRecipient(Row):
    """A person, or everybody in a team, who gets the messages of a rule by e-mail, for as long as they see the system."""

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="recipients")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rule", "user"], name="alert_recipient_user"),
            models.UniqueConstraint(fields=["rule", "team"], name="alert_recipient_team"),
            models.CheckConstraint(
                condition=Q(user=None, team__isnull=False) | Q(user__isnull=False, team=None),
                name="alert_recipient_is_one",
            ),
        ]


class Alert(Row):
    """What a rule tells of one revision: one message to each recipient, however many histories show it."""

    class State(models.TextChoices):
        """Whether a second measurement is to be asked for, is on its way, or what it said was told, or not."""

        WAITING = "waiting"
        MEASURING = "measuring"
        TOLD = "told"
        WITHHELD = "withheld"

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="alerts")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    made_at = models.DateTimeField(auto_now_add=True)
    subject = models.CharField(max_length=250, blank=True, default="")
    text = models.TextField(blank=True, default="")
    state = models.CharField(max_length=9, choices=State.choices, default=State.TOLD)
    # What is measured again: an `AlertPlan`.
    plan = models.JSONField(default=dict)
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    # Then it is told as it is.
    decide_by = models.DateTimeField(null=True)
    is_confirmed = models.BooleanField(default=False)
    # What came of the second measurement, or why there was none.
    outcome = models.TextField(blank=True, default="")
    acknowledged_by = models.CharField(max_length=150, blank=True, default="")
    acknowledged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [models.UniqueConstraint(fields=["rule", "revision"], name="alert_once_a_revision")]
        indexes = [
            models.Index(
                fields=["decide_by"], condition=Q(state__in=["waiting", "measuring"]), name="alert_undecided"
            )
        ]


class KnownChange(Row):
    """A change that a rule has told of, or that was there before it: a new fit that finds it again tells it to nobody."""

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="known")
    alert = models.ForeignKey(Alert, null=True, on_delete=models.SET_NULL, related_name="changes")
    # As of a `TriagedChange`.
    series_identity = models.CharField(max_length=64)
    before = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    after = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    is_worse = models.BooleanField()
    is_slow = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["rule", "series_identity"], name="known_of_rule")]


class AlertDelivery(Row):
    """One message on its way to one person or to the webhook; a test of a rule has no alert."""

    class State(models.TextChoices):
        """Whether it waits for its time, went out, or is given up."""

        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="deliveries")
    alert = models.ForeignKey(Alert, null=True, on_delete=models.CASCADE, related_name="deliveries")
    # None: the webhook of the rule.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    # In words: the name of an account, or the host of a webhook.
    to = models.CharField(max_length=260)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # Why the last attempt failed.
    reason = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["due_at"], condition=Q(state="waiting"), name="alert_delivery_due")]


class Badge(Row):
    """A picture that says, to whoever holds its token, whether a system or one of its histories changed; the token is stored hashed."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="badges")
    # None: the whole system.
    series = models.ForeignKey(Series, null=True, on_delete=models.CASCADE, related_name="+")
    # What the history was called when the badge was made.
    label = models.CharField(max_length=400, blank=True, default="")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
