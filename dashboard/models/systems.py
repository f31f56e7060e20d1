"""A system under study: its options, configurations, workloads, environments and revisions."""

from django.db import models
from django.db.models import Q

from dashboard.models.rows import Row


class System(Row):
    """The program under study. Hidden until its first batch became visible."""

    slug = models.SlugField(unique=True, max_length=80)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    visible = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # Moves with every write to anything of this system: what caches and reports are keyed by.
    data_version = models.PositiveBigIntegerField(default=0)
    # How often a change may be told where there is none: a share per series and year of history.
    false_alarm_rate = models.FloatField(default=0.01)
    # How its revisions are addressed in the web, a pattern of `runner.host_links`; "": not known.
    host_link = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                condition=Q(false_alarm_rate__gt=0.0, false_alarm_rate__lt=1.0),
                name="system_false_alarm_rate_is_a_share",
            )
        ]


class Revision(Row):
    """A commit or release of a system."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="revisions")
    name = models.CharField(max_length=120)
    commit = models.CharField(max_length=64, blank=True, default="")
    message = models.TextField(blank=True, default="")
    released_at = models.DateTimeField(null=True, blank=True)
    # Digest over the files that matter to the time of the program; equal ones share their measurements. "": unknown.
    content = models.CharField(max_length=64, blank=True, default="")
    # Lines of files that matter, added and removed since the revision before it in its order; None: unknown.
    changed_lines = models.PositiveIntegerField(null=True, blank=True)
    # The name of who wrote it, without an address; "": unknown.
    author = models.CharField(max_length=120, blank=True, default="")
    # Of a revision of a branch that was not merged when it came in: where the branch left the order, a name or a commit.
    # It counts as long as no place in an order says more; written when the revision is shown. "": of no branch.
    base = models.CharField(max_length=120, blank=True, default="", db_default="")
    # The unmerged branch whose newest commit it was when the source of the registered subject listed it last: this machine
    # may build it. No import says so: names in files decide nothing about what is run. "": of none.
    branch = models.CharField(max_length=250, blank=True, default="", db_default="")
    # The tags that name the commit, with a blank between, which no tag holds; and the first release, a tag, that holds it.
    # Both as the source said last: tags come later, and may move. "": none that is known.
    tags = models.TextField(blank=True, default="", db_default="")
    released_in = models.CharField(max_length=250, blank=True, default="", db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "name"], name="revision_name_unique")]
        # Few of many revisions have tags, and every page asks for them.
        indexes = [models.Index(fields=["system"], name="revision_tagged", condition=~models.Q(tags=""))]


class Order(Row):
    """A named order that puts revisions in line: first-parent, all, releases."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="orders")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "name"], name="order_name_unique")]


class OrderPosition(Row):
    """The place of one revision in one order; gaps are kept.

    `listed`: the source of the registered subject named the revision, so this machine may build it. A place that an
    import brought is never `listed`: names in files decide nothing about what is run.
    """

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="positions")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="positions")
    position = models.PositiveIntegerField()
    listed = models.BooleanField(default=False)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["order", "revision"], name="place_revision_unique"),
            models.UniqueConstraint(fields=["order", "position"], name="place_position_unique"),
        ]


class SystemOption(Row):
    """A load-time setting with a small finite domain, valid from revision to revision."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="options")
    name = models.CharField(max_length=120)
    position = models.PositiveIntegerField()
    description = models.TextField(blank=True, default="")
    first_revision = models.ForeignKey(
        Revision, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    last_revision = models.ForeignKey(
        Revision, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["system", "name"], name="option_name_unique"),
            models.UniqueConstraint(fields=["system", "position"], name="option_position_unique"),
        ]


class Level(Row):
    """One value of an option; position 0 is the reference level."""

    option = models.ForeignKey(SystemOption, on_delete=models.CASCADE, related_name="levels")
    position = models.PositiveIntegerField()
    # JSON, so that true, 1, 1.0 and "1" stay apart.
    value = models.JSONField()
    label = models.CharField(max_length=120)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["option", "position"], name="level_position_unique"),
            models.UniqueConstraint(fields=["option", "label"], name="level_label_unique"),
        ]


class Configuration(Row):
    """One value for every option, kept as what differs from the reference configuration.

    A new option leaves the identity of old configurations intact.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="configurations")
    name = models.CharField(max_length=120, blank=True, default="")
    # {option name: level label}, reference levels left out.
    assignments = models.JSONField(default=dict)
    identity = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["system", "identity"], name="configuration_identity_unique")
        ]


class Workload(Row):
    """What the program is asked to do, with everything but options fixed."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="workloads")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    parameters = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "name"], name="workload_name_unique")]


class Environment(Row):
    """Machine, operating system and interpreter: never mixed within one series."""

    digest = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    details = models.JSONField(default=dict)


class Subject(Row):
    """A registered folder with `subject.toml`: the only thing a worker may execute."""

    system = models.OneToOneField(System, on_delete=models.CASCADE, related_name="subject")
    name = models.CharField(max_length=120, unique=True)
    folder = models.CharField(max_length=1000)
    digest = models.CharField(max_length=64)
    definition = models.JSONField(default=dict)
    registered_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(folder=""), name="subject_folder_given")]
        ordering = ("name",)
