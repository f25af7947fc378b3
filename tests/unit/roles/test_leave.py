# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a drain has to let the balancer stop sending people, by what login_targets answered about the node."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

LEAVE = Path(__file__).resolve().parents[3] / "roles" / "login_balancer" / "tasks" / "leave.yml"
NODE, OTHER = "i-0000000000000000a", "i-0000000000000000b"


def may_send(left: dict) -> bool:
    (task,) = [each for each in yaml.safe_load(LEAVE.read_text()) if "ansible.builtin.set_fact" in each]
    variables = {"__login_balancer_left": left, "hyperpod_instance_id": NODE}
    templar = Templar(loader=DataLoader(), variables=variables)
    return len(templar.template(trust_as_template(task["vars"]["health"]))) > 0


@pytest.mark.parametrize(
    ("health", "expected"),
    [("draining", True), ("healthy", True), ("initial", True), ("unhealthy", True), ("unused", False), (None, False)],
)
def test_a_target_that_leaves_may_still_get_people(health, expected):
    others = {"instance_id": OTHER, "ip": "10.1.1.12", "health": "healthy"}
    left = {"targets": [{"instance_id": NODE, "ip": "10.1.1.11", "health": health}, others]}
    assert may_send(left) is expected


def test_without_a_target_group_nobody_is_sent():
    assert may_send({"skipped": True}) is False
