"""`manage.py import FORMAT PATH --system NAME`: read a file or folder of measurements into a system."""  # noqa: N999 -- the verb is a keyword

import shlex
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import Principal, Refused, access_to
from dashboard.importers.errors import InvalidBundle, InvalidSetting, SourceError
from dashboard.importers.preview import most_repetitions, preview_file, propose_mapping
from dashboard.importers.registry import FORMATS
from dashboard.importers.settings import ImportSetting, ImportSettings
from dashboard.management.model_output import words_of_models
from dashboard.management.system_command import BAD_INPUT
from dashboard.services.imports.amounts import in_words
from dashboard.services.imports.errors import ImportLost, ImportRefused
from dashboard.services.imports.importing import import_file
from dashboard.services.performance_models.learned import LEARNED_FORMATS, learn


class Command(BaseCommand):
    """Import a file: checked as a whole first, then written all or nothing."""

    help = "Import a file or folder into a system; --list names the formats."
    # As of a command about one system.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("format", nargs="?", choices=sorted(FORMATS), help="what the file holds")
        parser.add_argument("path", nargs="?", type=Path, help="a folder, a zip file or a file of the format")
        parser.add_argument("--system", help="the system's name; it is made where there is none")
        parser.add_argument("--list", action="store_true", help="print the formats and end")
        parser.add_argument(
            "--preview", action="store_true", help="print what would come in, and import nothing"
        )
        for setting in _settings():
            parser.add_argument(
                f"--{setting.name}", metavar=setting.metavar, action="append", help=setting.help
            )

    def handle(self, *_: Any, **options: Any) -> None:
        """Import, and say what came in; or only say what would."""
        if options["list"]:
            for known in FORMATS.values():
                self.stdout.write(f"{known.name:<12} {known.title}")
            return
        named = options["preview"] or options["system"] is not None
        if options["format"] is None or options["path"] is None or not named:
            raise CommandError(
                "give FORMAT, PATH and --system NAME (or --preview), or --list", returncode=BAD_INPUT
            )
        try:
            if options["preview"]:
                self._preview(options["format"], options["path"], _given(options))
            else:
                self._import(options)
        except InvalidBundle as error:
            self._refuse(error.lines(), f"nothing was imported: {len(error.faults) + error.unlisted} faults")
        except (SourceError, InvalidSetting) as error:
            self._refuse([str(error)], "nothing was imported")
        except ImportRefused as error:
            self._refuse(error.problems, "nothing was imported")
        except ImportLost as error:
            raise CommandError(str(error)) from None

    def _import(self, options: dict[str, Any]) -> None:
        outcome = import_file(
            principal=Principal.operator(),
            format_name=options["format"],
            path=options["path"],
            system_name=options["system"],
            given=_given(options),
            progress=self._tell,
        )
        for remark in outcome.remarks:
            self.stderr.write(f"note: {remark}")
        if not outcome.is_new:
            self.stdout.write(f"{outcome.system_name} holds exactly this already: nothing changed.")
            return
        self.stdout.write(f"{outcome.system_name}: {outcome.in_words()} (address: {outcome.system_slug})")
        if options["format"] in LEARNED_FORMATS:
            # Without models the import is as good.
            try:
                curves = learn(access=access_to(Principal.operator(), outcome.system_slug), tell=self._tell)
            except Refused as error:
                self.stderr.write(f"note: no model was learned: {error}")
                return
            if curves:
                self.stdout.write("\n".join(words_of_models(curves)))

    def _preview(self, format_name: str, path: Path, given: ImportSettings) -> None:
        if format_name == "csv":
            dialect, roles = propose_mapping(path=path, given=given)
            lines = [
                f"encoding {dialect.encoding}, delimiter {dialect.delimiter!r}, decimal sign {dialect.decimal!r}",
                "proposed mapping (correct it; what is left out is not imported):",
                *(
                    f"  --map {shlex.quote(f'{name}={role}')}"
                    for name, role in zip(dialect.header, roles, strict=True)
                ),
                "first rows:",
                *("  " + " | ".join(row) for row in (dialect.header, *dialect.sample[:5])),
            ]
            self.stdout.write("\n".join(lines))
            if "map" not in given:
                return
        imported = preview_file(format_name=format_name, path=path, given=given)
        for remark in imported.remarks:
            self.stderr.write(f"note: {remark}")
        records = imported.records
        amounts = in_words(
            [
                (len(records.runs), "run", "runs"),
                (len(records.configurations), "configuration", "configurations"),
                (len(records.regions), "region", "regions"),
                (len(records.points.series), "point of histories", "points of histories"),
            ]
        )
        repetitions = most_repetitions(records)
        repeated = f"; up to {repetitions} repetitions" if repetitions > 1 else ""
        lines = [
            f"{amounts}{repeated}",
            f"revisions: {_listed([one.name for one in records.revisions])}",
            f"metrics: {_listed([str(one) for one in records.metrics])}",
            *(
                f"option {one.name}: {_listed([level.label for level in one.levels])}"
                for one in records.options
            ),
            "nothing was imported",
        ]
        self.stdout.write("\n".join(lines))

    def _tell(self, _share: float, step: str) -> None:
        self.stderr.write(f"{step} ...")

    def _refuse(self, lines: Any, summary: str) -> None:
        for line in lines:
            self.stderr.write(line)
        raise CommandError(summary, returncode=BAD_INPUT)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f", ... ({len(names)} in all)" if len(names) > 10 else "")


def _settings() -> list[ImportSetting]:
    """The settings of all formats, each once, with the formats that have it."""
    found: dict[str, ImportSetting] = {}
    formats: dict[str, list[str]] = {}
    for known in FORMATS.values():
        for setting in known.settings:
            found.setdefault(setting.name, setting)
            formats.setdefault(setting.name, []).append(known.name)
    return [
        replace(setting, help=f"{', '.join(formats[name])}: {setting.help}")
        for name, setting in found.items()
    ]


def _given(options: dict[str, Any]) -> ImportSettings:
    values = {setting.name: options[setting.name.replace("-", "_")] for setting in _settings()}
    return {name: tuple(value) for name, value in values.items() if value}
