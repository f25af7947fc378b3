# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that the kernel writes while the node is checked."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Answer
from lab.accelerators import present
from lab.accelerators.story import Story, healthy

from .nodes import VOLATILE, Node, SimulatedTools, lean, verdicts, xid

REBOOT = "unfit-reboot"
G5, H100 = "ml.g5.48xlarge", "ml.p5.48xlarge"


class _Slow(SimulatedTools):
    """Each tool takes four seconds after it has read its values."""

    def __init__(self, story: Story, uptime: Path) -> None:
        super().__init__(story)
        self._uptime = uptime

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        answer = super().run(*argv)
        self._uptime.write_text(f"{float(self._uptime.read_text().split()[0]) + 4} 0.00\n")
        return answer


def test_the_uptime_is_read_before_the_log(tmp_path: Path) -> None:
    story = healthy("ml.g4dn.12xlarge", uptime=86400)
    present.present(story, tmp_path, tools=False)
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"))
    assert Observer(places, _Slow(story, tmp_path / "proc/uptime")).observe().uptime_seconds == 86400


def _ecc(story: Story) -> None:
    story.gpus[0].elements[VOLATILE] = "1"


def _link(story: Story) -> None:
    story.gpus[0].link_errors = {3: {"Replay Errors": 40}}


@pytest.mark.parametrize("earlier", [0, 1, 2])
@pytest.mark.parametrize(("kind", "code", "change"), [(G5, 48, _ecc), (H100, 136, _link)])
def test_a_counter_that_was_read_before_its_record_confirms_it(
    kind: str, code: int, change: t.Callable[[Story], None], earlier: int, tmp_path: Path
) -> None:
    node, story = Node(tmp_path), lean(kind, gpus=8)
    for uptime in range(86_400 - 300 * earlier, 86_400, 300):
        story.uptime = uptime
        assert node.judge(story).verdict == "fit"
    story.uptime = 86_400
    change(story)
    node.judge(story)
    story.uptime = 86_700
    xid(story, 86_402, code, "pid=7, name=python3, Words")
    assert ("gpu-xid", REBOOT) in verdicts(node.judge(story))


def test_a_counter_that_grew_two_checks_ago_confirms_no_record(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(G5)
    for uptime, count in ((5000, "0"), (5300, "1"), (5600, "1")):
        story.uptime, story.gpus[0].elements[VOLATILE] = uptime, count
        assert node.judge(story).verdict == "fit"
    story.uptime = 5900
    xid(story, 5700, 48, "Words")
    assert verdicts(node.judge(story)) == [("gpu-xid-unconfirmed", "watch")]


def test_a_record_of_a_job_at_the_boundary_is_reported_twice_at_most(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(G5, uptime=86_400)
    xid(story, 86_400.5, 31, "pid=7, name=python3, MMU Fault")
    found = []
    for _check in range(3):
        health = node.judge(story)
        found.append((health.verdict, verdicts(health)))
        story.uptime += 300
    assert found == [("fit", [("job-xid", "fit")]), ("fit", [("job-xid", "fit")]), ("fit", [])]
