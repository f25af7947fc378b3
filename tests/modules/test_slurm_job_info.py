# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_job_info on a controller with one fake Slurm program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from modules.test_slurm_job import WANTED, Controller, other
from simulated.bare_node import BareNode
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_jobs_that_request_switches_of_all_users(tmp_path: Path) -> None:
    controller = Controller(tmp_path)
    fake = "x\n100|mlfleet.hyperpod:required:" + "a" * 32
    bobs = other(uid=20002, switches=2, wait=90061, nodes="ip-10-1-2-[3,9]", name="b\x1bob\n100|evil", comment=fake)
    controller.set(jobs=[bobs, other(id=8, name="plain"), other(id=9, switches=1, state="COMPLETED"), other(id=10, uid=4711, switches=1)])
    controller.run("slurm_job", **{**WANTED, "user": "root", "placement": "preferred"})
    result = reads(controller, "slurm_job_info", check=True)
    assert [(each["id"], each["user"], each["name"], each["ours"]) for each in result["jobs"]] == [
        *((104, "root", "llama", True), (10, "4711", "llama", False), (7, "bob", "b?ob", False))
    ]
    own, _other, foreign = result["jobs"]
    assert (own["placement"], own["state"], own["nodes"]) == ("preferred", "waiting", [])
    assert (foreign["nodes"], foreign["switches"], foreign["switches_wait"]) == (["ip-10-1-2-3", "ip-10-1-2-9"], 2, 90061)


def test_without_slurm_the_module_fails_with_a_message(node: BareNode) -> None:
    result = node.run("slurm_job_info")
    assert result["failed"] and result["msg"] == "squeue is not installed on this node."
