# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the role awx declare. No I/O."""

from __future__ import annotations

import re
import typing as t
import zoneinfo
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import SCHEDULES, verbs

Values = t.Mapping[str, t.Any]
MARK = re.compile(r"\[mlfleet\.hyperpod:([a-z0-9-]{1,40})/([^\]\n]+)\]$")
NAME = re.compile(r"[a-z0-9-]{1,40}")
NEVER = "never"
VARIABLES = (
    *("awx_adopt", "awx_collection", "awx_credentials", "awx_fleet", "awx_image", "awx_image_credential", "awx_inventory_file"),
    *("awx_job_credentials", "awx_job_forks", "awx_job_timeout", "awx_notifications", "awx_organization", "awx_prefix"),
    *("awx_project_credential", "awx_project_revision", "awx_project_url", "awx_purge", "awx_rollouts", "awx_schedules"),
    *("awx_time_zone", "awx_verbs", "awx_write_secrets"),
)
"""The variables of the role that declare a fleet, or allow a change for one run."""
CREDENTIAL_FIELDS = ("name", "type", "inputs", "sources")
NOTIFICATION_FIELDS = ("name", "type", "configuration")


@dataclass(frozen=True)
class Fleet:
    """The objects of AWX for one project. A fleet can have many clusters, accounts and Regions."""

    name: str
    organization: str
    prefix: str
    project: Values
    """Fields ``url``, ``revision`` and ``credential``, the name of a credential or an empty text."""
    inventory_file: str
    image: str
    image_credential: str
    credentials: tuple[Values, ...]
    job_credentials: tuple[str, ...]
    verbs: tuple[str, ...]
    """All of them if it is empty."""
    schedules: Values
    """Intervals by template, instead of those in the table of verbs."""
    time_zone: str
    forks: int
    timeout: int
    """Seconds."""
    notifications: tuple[Values, ...]
    rollouts: tuple[Values, ...]
    """As ``awx.rollouts`` reads them."""

    def named(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def described(self, key: str, text: str = "") -> str:
        """The text with our mark. The key in the mark stays when the prefix changes."""
        return f"{text} [mlfleet.hyperpod:{self.name}/{key}]".strip()

    def key_of(self, description: str) -> str:
        """The key in the mark of an object of this fleet; empty for another object."""
        found = MARK.search(description)
        return found[2] if found and found[1] == self.name else ""


def declared(variables: Values) -> Fleet:
    """The fleet in the variables of the role, which have passed ``refusals``."""
    return Fleet(
        name=variables["awx_fleet"],
        organization=variables["awx_organization"],
        prefix=variables["awx_prefix"],
        project={name: variables[f"awx_project_{name}"] for name in ("url", "revision", "credential")},
        inventory_file=variables["awx_inventory_file"],
        image=variables["awx_image"],
        image_credential=variables["awx_image_credential"],
        credentials=tuple(variables["awx_credentials"]),
        job_credentials=tuple(variables["awx_job_credentials"]),
        verbs=tuple(variables["awx_verbs"]),
        schedules=variables["awx_schedules"],
        time_zone=variables["awx_time_zone"],
        forks=variables["awx_job_forks"],
        timeout=variables["awx_job_timeout"],
        notifications=tuple(variables["awx_notifications"]),
        rollouts=tuple(variables["awx_rollouts"]),
    )


def refusals(variables: Values) -> list[str]:
    """A sentence for each variable with an invalid value."""
    return [
        *_texts(variables),
        *_choices(variables),
        *_items("awx_credentials", variables["awx_credentials"], CREDENTIAL_FIELDS),
        *_items("awx_notifications", variables["awx_notifications"], NOTIFICATION_FIELDS),
    ]


def _texts(variables: Values) -> t.Iterator[str]:
    if not NAME.fullmatch(variables["awx_fleet"]):
        yield not_allowed("awx_fleet", variables["awx_fleet"], "1 to 40 lowercase letters, digits and hyphens")
    for name in ("awx_organization", "awx_project_url", "awx_inventory_file"):
        if not variables[name]:
            yield not_allowed(name, variables[name], "a text that is not empty")
    if not variables["awx_project_revision"]:
        yield not_allowed("awx_project_revision", "", "a tag, or the digest of a commit")
    if variables["awx_time_zone"] not in zoneinfo.available_timezones():
        yield not_allowed("awx_time_zone", variables["awx_time_zone"], "names of time zones, such as Europe/Zurich")


def _choices(variables: Values) -> t.Iterator[str]:
    unknown = [each for each in variables["awx_verbs"] if each not in verbs()]
    if unknown:
        yield not_allowed("awx_verbs", unknown[0], ", ".join(verbs()))
    titles = [title for verb in verbs().values() for title in verb.templates]
    for title, interval in variables["awx_schedules"].items():
        if title not in titles:
            yield not_allowed("awx_schedules", title, ", ".join(titles))
        elif interval not in (*SCHEDULES, NEVER):
            yield not_allowed("awx_schedules", interval, ", ".join((*SCHEDULES, NEVER)), f"the template is {title}")


def _items(option: str, items: t.Sequence[t.Any], fields: tuple[str, ...]) -> t.Iterator[str]:
    names: set[str] = set()
    for number, each in enumerate(items, start=1):
        if not isinstance(each, t.Mapping) or not {"name", "type"} <= set(each) <= set(fields):
            shown = sorted(each) if isinstance(each, t.Mapping) else type(each).__name__  # the values can be secrets
            yield not_allowed(f"{option}, item {number}", shown, f"a dictionary with name, type and {', '.join(fields[2:])}")
        elif each["name"] in names:
            yield not_allowed(option, each["name"], "names that differ")
        else:
            names.add(each["name"])
