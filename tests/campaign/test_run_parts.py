"""The longer parts of login access by tags; tests/unit/edges has the others.

They use a separate simulated AWS, not the machines of the lab.
"""

from __future__ import annotations

import os
import sys
import typing as t

import pytest

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])

from simulated import hostile, parts


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[hostile.World]:
    with hostile.world(tmp_path_factory.mktemp("parts")) as here:
        yield here


def test_tag_people_leaves_the_balancer_unchanged(world: hostile.World) -> None:
    part = parts.run_part(world, "login_access", "people")
    assert part.unsafe == [], part.run.output
    assert {"login-accounts", "compute-accounts", "controller-accounts", "login-readiness_gate"} <= part.sent
    assert set(part.changed) == {"ssm"}, part.changed  # the lock, and the records of configured nodes


def test_tag_verify_reaches_login_nodes_and_changes_nothing(world: hostile.World) -> None:
    part = parts.run_part(world, "login_access", "verify")
    assert part.unsafe == [], part.run.output
    assert part.changed == {} and "login-readiness_gate" in part.sent, (part.changed, part.sent)


def test_tag_balancer_reaches_no_node(world: hostile.World) -> None:
    part = parts.run_part(world, "login_access", "balancer")
    assert part.unsafe == [] and part.sent == set(), part.run.output
    operations = set().union(*part.changed.values())
    assert {"CreateLoadBalancer", "CreateTargetGroup", "CreateListener"} <= operations and "RegisterTargets" not in operations
    assert "secretsmanager" not in part.changed
