# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for the project, and the check of its playbooks."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action import awx_project
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.wanted import playbooks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from ..plugin_utils.awx.examples import fleet

FLEET = fleet(awx_verbs=["reconcile", "verify"])
NEEDED = playbooks(FLEET, verbs().values())


class Awx:
    """Answers with one status after the other; None for a project that is not listed."""

    def __init__(self, *statuses: str | None, there: t.Sequence[str] = NEEDED) -> None:
        self._statuses, self._there = list(statuses), there

    def read(self, path: str, **_query: t.Any) -> t.Any:
        if path.endswith("playbooks"):
            return list(self._there)
        status = self._statuses.pop(0)
        return [] if status is None else [{"id": 1, "status": status, "scm_revision": "4b825dc"}]


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awx_project, "INTERVAL", 0)


def checked(awx: t.Any) -> t.Any:
    project = awx_project._updated(awx, FLEET)
    awx_project._check(awx, FLEET, project)
    return project


def test_it_waits_until_a_new_project_is_listed_and_updated() -> None:
    assert checked(Awx(None, "new", "pending", "waiting", "running", "successful"))["scm_revision"] == "4b825dc"


@pytest.mark.parametrize("status", ["failed", "error", "canceled", "never updated", "missing", ""])
def test_any_other_status_is_a_failure(status: str) -> None:
    with pytest.raises(Failure, match=f"The update of the project hyperpod to v1 is {status or 'unknown'}. The output of the update"):
        checked(Awx(status))


def test_missing_playbooks_are_named() -> None:
    with pytest.raises(Failure, match=r"Revision v1 of the project hyperpod lacks verify\.yml\. Write them with -e awx_project_dir"):
        checked(Awx("successful", there=["reconcile.yml"]))


def test_the_wait_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awx_project, "DEADLINE", -1)
    with pytest.raises(Failure, match="The update of the project hyperpod is running after 0 s. Check it in AWX"):
        checked(Awx("running"))
