# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings and changes on one node."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import node_limit
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view

RESULTS = ("account", "slurm", "cleared", "left")
"""Names of the results of tasks that remove the user."""
Result = dict[str, t.Any]


@dataclass(frozen=True)
class Places:
    """Hosts for Slurm's commands and for the home directory.

    Slurm's commands work on every node, and a controller node always has them. Login nodes have the home directories.
    """

    slurm: str
    home: str


@view
def places(variables: Variables) -> Places:
    reached = sorted(node.host for node in fleet.of(variables).reached)
    groups = variables["groups"]
    controller, login = (
        [host for host in reached if host in groups.get(f"node_type_{kind}", ())] for kind in ("controller", "login")
    )
    return Places(
        slurm=next(iter([*controller, *login, *reached]), ""),
        home=next(iter([*login, *controller, *reached]), ""),
    )


@dataclass(frozen=True)
class Work:
    planning: bool
    """Whether the tasks only predict changes."""
    clears: bool
    """Whether the removal of the account is repeated, because the user's jobs were cancelled."""
    archives: bool
    """Whether the home directory is archived. This requires that the user has no jobs."""


@view
def work(variables: Variables) -> Work:
    planning = bool(variables.get("offboarding_planning", False))
    cancelled = variables["offboarding_jobs"] == "cancel" and _held(variables)
    return Work(
        planning=planning,
        clears=cancelled and not planning and not variables["ansible_check_mode"],
        archives=variables["offboarding_home"] == "archive" and not _jobs_left(variables),
    )


@dataclass(frozen=True)
class Outcome:
    dirty: bool
    answered: bool
    result: Result
    planned: Result
    left: Result
    """The changes, and the traces of the user that the later check still found."""


@view
def outcome(variables: Variables) -> Outcome:
    result = _result(variables)
    waits = variables["offboarding_jobs"] == "cancel" and result["held"]
    resources = dict.fromkeys(each.get("resource", "something without a name") for each in result["changes"])
    done = plain(variables.get("__offboarding_outcome") or result)
    left = [*resources, *([variables["offboarding_name"]] if waits else [])]
    return Outcome(
        dirty=bool(result["changes"]) or waits,
        answered=not any(each.get("unreachable") for each in _results(variables)),
        result=result,
        planned=result if variables["ansible_check_mode"] else {**result, "changes": []},
        left={**result, "at": done["at"], "changes": done["changes"], "left": left},
    )


def _result(variables: Variables) -> Result:
    results = _results(variables)
    account, slurm, _cleared, home = results
    return {
        "at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "changes": [change for each in results for change in rows(each.get("changes"))],
        "held": _locked(account),
        "jobs": _items(_part(slurm, "slurm_user").get("jobs")),
        "authorized_keys": _items(_part(home, "offboarded_home").get("authorized_keys")),
        "findings": [found for each in results for found in rows(each.get("hyperpod_findings"))],
    }


def _results(variables: Variables) -> list[Result]:
    return [plain(variables.get(f"__offboarding_{each}") or {}) for each in RESULTS]


def _held(variables: Variables) -> bool:
    return _locked(variables.get("__offboarding_account") or {})


def _locked(account: t.Mapping[str, t.Any]) -> bool:
    """Whether the account stays locked on the node until the user's jobs have ended."""
    return any(each.get("state") == "locked" for each in rows(_part(account, "accounts").get("users")))


def _part(result: t.Any, name: str) -> t.Mapping[str, t.Any]:
    found = result.get(name) if isinstance(result, t.Mapping) else None
    return found if isinstance(found, t.Mapping) else {}


def rows(value: t.Any) -> list[t.Mapping[str, t.Any]]:
    """The mappings in a list. A node may return anything, so other entries are ignored."""
    return [each for each in value if isinstance(each, t.Mapping)] if isinstance(value, (list, tuple)) else []


def _items(value: t.Any) -> list[t.Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _jobs_left(variables: Variables) -> bool:
    host = places(variables).slurm
    asked = variables["hostvars"][host].get("__offboarding_slurm") if host else None
    return bool(_part(asked, "slurm_user").get("jobs", ["unknown"]))


@view
def longest(variables: Variables) -> int:
    """The time limit in seconds of the task that waits for cancelled jobs to end."""
    return node_limit.with_wait(variables["offboarding_jobs_timeout"])
