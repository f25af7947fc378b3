# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that submits a job, and the user who runs it."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.apply import command, identity, minutes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Desired

JOB = Desired("present", "llama", "alice", 20001, "#!/bin/sh\n", working_directory="/home/alice")
COMMON = ["sbatch", "--parsable", "--job-name=llama"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, ["--nodes=1", "--chdir=/home/alice"]),
        ({"nodes": 4, "partition": "gpus"}, ["--nodes=4", "--partition=gpus", "--chdir=/home/alice"]),
        (
            {"placement": "required", "switches": 1, "switches_wait": 3661},
            ["--nodes=1", "--chdir=/home/alice", "--switches=1@61:01"],
        ),
        ({"placement": "preferred", "switches": 2}, ["--nodes=1", "--chdir=/home/alice", "--switches=2"]),
        ({"placement": "none", "switches": 2}, ["--nodes=1", "--chdir=/home/alice"]),
    ],
)
def test_the_command_has_the_options_of_the_job(more: dict[str, t.Any], words: list[str]) -> None:
    wanted = dataclasses.replace(JOB, **more)
    assert command(wanted) == [*COMMON, f"--comment={wanted.comment}", *words]


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59, "0:59"), (60, "1:00"), (3661, "61:01")])
def test_times_have_minutes_and_seconds(seconds: int, text: str) -> None:
    assert minutes(seconds) == text


def test_a_job_runs_as_its_user() -> None:
    found = identity("root")
    assert (found.name, found.uid, found.gid) == ("root", 0, 0) and 0 in found.groups
