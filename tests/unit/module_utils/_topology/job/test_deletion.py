# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.deletion import until_deleted

from .jobs import rendered

THERE, ANOTHER = ({"metadata": {"uid": uid}} for uid in ("1", "2"))


class Kubernetes:
    def __init__(self, *answers: t.Any) -> None:
        self.answers = list(answers)

    def find(self, _path: str) -> t.Any:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def wait(*answers: t.Any) -> list[t.Any]:
    now = [0.0]
    kubernetes: t.Any = Kubernetes(*answers)
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    until_deleted(kubernetes, rendered(), "1", Waits(timeout=30, interval=1, clock=clock))
    return t.cast("list[t.Any]", kubernetes.answers)


@pytest.mark.parametrize("last", [None, ANOTHER])
def test_the_wait_ends_when_the_job_is_gone_or_another_one_has_its_name(last):
    assert wait(THERE, THERE, last) == [last]


def test_a_job_that_is_not_removed_is_a_failure():
    with pytest.raises(Failure) as failed:
        wait(THERE)
    assert "Job hyperpod-ns-a/mnist is still being deleted after 30 s. Check why the job's Pods do not end" in str(failed.value)
