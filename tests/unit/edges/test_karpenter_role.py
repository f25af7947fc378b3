# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster's lock is taken before the IAM role of Karpenter is created or deleted, and not without a change."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible.release import __version__
from simulated import Simulated, simulated_aws
from simulated.controller import ansible

pytestmark = [pytest.mark.slow, pytest.mark.skipif(__version__.startswith("2.19."), reason="whole plays are tested on the newest ansible-core only")]
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
BOUNDARY = "arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary"
PLAY = f"""
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws:
      region: us-west-2
    group/mlfleet.hyperpod.cluster:
      cluster_arn: {ARN}
  vars:
    hyperpod_cluster_arn: {ARN}
    hyperpod_cluster_key: ml
    karpenter_role_boundary: {BOUNDARY}
  tasks:
    - include_role:
        name: mlfleet.hyperpod.karpenter
        tasks_from: "cluster/{{{{ steps }}}}"
"""
Runs = t.Callable[..., list[str]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Runs]:
    folder = tmp_path_factory.mktemp("role")
    (folder / "home").mkdir()
    (folder / "play.yml").write_text(PLAY)
    with simulated_aws(folder) as aws:
        yield lambda steps, *more: _calls(folder, aws, steps, *more)


def _calls(folder: Path, aws: Simulated, steps: str, *more: str) -> list[str]:
    """Mutating calls of a run of the tasks ``steps``."""
    aws.control("reset-calls", {})
    done = ansible(
        "playbook",
        *("-i", "localhost,", "-c", "local", str(folder / "play.yml"), "-e", json.dumps({"steps": steps}), *more),
        home=folder / "home",
        temporary=folder / "tmp",
        limit=300,
        AWS_ACCESS_KEY_ID="AKIAEXAMPLE",
        AWS_SECRET_ACCESS_KEY="example",
        AWS_ENDPOINT_URL=aws.url,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return list(aws.changes())


def test_the_lock_is_taken_first_and_only_for_a_change(runs: Runs) -> None:
    assert runs("role", "--check") == []
    made = runs("role")
    assert made[0] == "PutParameter" and [each for each in made if each.endswith(("Role", "Policy"))] == ["CreateRole", "PutRolePolicy"], made
    assert runs("role") == []
    gone = runs("no_role")
    assert gone[0] == "PutParameter" and gone[-1] == "DeleteRole", gone
