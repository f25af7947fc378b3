# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of stories, judged as the module judges them: by what their tools and files say."""

from __future__ import annotations

import itertools
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health import memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.expected import Expected, expected
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.judge import Health, judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.look import Look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.memory import Memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.problem import FIT
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.profile import Profile
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.tools import Tools
from lab.accelerators import present
from lab.accelerators.story import Story

NOON = 1_793_000_000.0
HOUR, DAY = 3600.0, 86400.0


class Node:
    """One that is looked at again and again, and remembers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looks = itertools.count()
        self.memory = Memory("i-00000000000000001")
        self.now = NOON

    def judge(
        self,
        story: Story,
        *,
        after: float = HOUR,
        wanted: Expected | None = None,
        profile: Profile | None = None,
        seconds: float = 20,
    ) -> Health:
        """:param after: Seconds since the look before; they do not count as the node's uptime, which the story tells."""
        root = self._folder / str(next(self._looks))
        present.present(story, root)
        (root / "plain").mkdir()
        for name in ("cat", "sleep"):
            (root / "plain" / name).symlink_to(f"/bin/{name}")
        tools = Tools(seconds=seconds, remembered=str(self._folder / "hung"), paths=f"{root / 'bin'}:{root / 'plain'}")
        state = Observer(Places(str(root), str(root / "sys"), str(root / "proc")), tools, with_dcgm=True).observe()
        self.now += after
        limits = profile or Profile()
        health = judge(Look(state, wanted or expected(story.instance_type), limits, self.memory, self.now))
        fit = health.verdict == FIT
        self.memory = memory.after(self.memory, state, health.problems, fit=fit, now=self.now, days=limits.repeat_days)
        return health


def told(health: Health) -> list[tuple[str, str]]:
    """Codes and verdicts."""
    return [(each.code, each.verdict) for each in health.problems]


def only(health: Health) -> t.Any:
    (problem,) = health.problems
    return problem
