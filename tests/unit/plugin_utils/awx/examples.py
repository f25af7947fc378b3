# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role, and objects as AWX would return the wanted ones."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import Fleet, declared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import SECRET, Object
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import wanted
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

VARIABLES: dict[str, t.Any] = {
    "awx_adopt": [],
    "awx_collection": "awx.awx",
    "awx_credentials": [{"name": "key", "type": "Machine", "inputs": {"username": "ops", "ssh_key_data": "secret"}}],
    "awx_fleet": "prod",
    "awx_image": "",
    "awx_image_credential": "",
    "awx_inventory_file": "hyperpod.yml",
    "awx_job_credentials": ["key"],
    "awx_job_forks": 10,
    "awx_job_timeout": 7200,
    "awx_notifications": [],
    "awx_organization": "ml",
    "awx_prefix": "",
    "awx_project_credential": "",
    "awx_project_revision": "v1",
    "awx_project_url": "https://git.example.com/fleet.git",
    "awx_purge": False,
    "awx_rollouts": [],
    "awx_schedules": {},
    "awx_time_zone": "Europe/Zurich",
    "awx_verbs": ["reconcile", "verify", "remediate", "access_report"],
    "awx_write_secrets": [],
}


def fleet(**changes: t.Any) -> Fleet:
    return declared({**VARIABLES, **changes})


def objects(**changes: t.Any) -> list[Object]:
    return wanted(fleet(**changes), verbs().values())


def as_found(each: Object) -> Object:
    """The object as AWX returns it: without its secrets, and nodes and roles with the mark of their owners."""
    inputs = {name: SECRET if name == "ssh_key_data" else value for name, value in each.values.get("inputs", {}).items()}
    values = {**each.values, "inputs": inputs} if each.kind == "credential" else each.values
    return dataclasses.replace(each, values=values, mark=each.mark or each.name)
