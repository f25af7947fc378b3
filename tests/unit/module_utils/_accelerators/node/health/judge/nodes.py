# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated nodes, judged as the module judges them: by the output of their tools and by their files."""

from __future__ import annotations

import dataclasses
import itertools
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.judge import Health, judge, remembered
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.look import Look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.profile import Profile
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.load import Asked
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Answer, Missing, Tools
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected
from lab.accelerators import present
from lab.accelerators.story import Story, healthy

NOON = 1_793_000_000.0
HOUR, DAY = 3600.0, 86400.0


class Node:
    """A node that is checked repeatedly and keeps its memory between checks."""

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
        seconds: float = 0,
        dcgm: Asked = Asked(),
        dmesg: str = "",
    ) -> Health:
        """:param after: Seconds since the previous check. They do not change the uptime, which is a value of the story.
        :param seconds: The deadline of tools that run as processes. If 0, the tools are simulated without processes.
        :param dmesg: The output of ``dmesg``.
        """
        root = self._folder / str(next(self._looks))
        present.present(story, root, tools=bool(seconds))
        tools = self._processes(root, seconds) if seconds else SimulatedTools(story, dmesg)
        state = Observer(Places(str(root), str(root / "sys"), str(root / "proc")), tools, dcgm_asked=dcgm).observe()
        self.now += after
        limits = profile or Profile()
        self.look = look = Look(state, wanted or _expected(story), limits, self.memory, self.now)
        health = judge(look)
        self.memory = remembered(look, health)
        return health

    def _processes(self, root: Path, seconds: float) -> Tools:
        (root / "plain").mkdir()
        for name in ("cat", "sleep"):
            (root / "plain" / name).symlink_to(f"/bin/{name}")
        return Tools(seconds=seconds, remembered=str(self._folder / "hung"), paths=f"{root / 'bin'}:{root / 'plain'}")


class SimulatedTools(Tools):
    """The tools of a story with the same output as its processes, but without processes."""

    def __init__(self, story: Story, dmesg: str = "") -> None:
        super().__init__(seconds=0)
        self._story, self._answers = story, present.replies(story)
        if dmesg:
            self._answers["dmesg"] = {"": (dmesg, 0)}

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        name, story = argv[0], self._story
        if name not in self._answers:
            raise Missing(f"{name} is not on this node")
        answers = self._answers[name]
        output = answers.get(" ".join(argv[1:])) or answers.get("") or ("usage", 2)
        text, status = (story.tools[name], story.statuses.get(name, 0)) if name in story.tools else output
        return Answer(present.lined(text), status)

    def first_line(self, *argv: str) -> str:
        return self.run(*argv).text.partition("\n")[0]


def _expected(story: Story) -> Expected:
    of_type = expected(story.instance_type)
    return of_type if story.efa else dataclasses.replace(of_type, efa=None)


def lean(instance_type: str, *, gpus: int | None = None, **more: t.Any) -> Story:
    """A healthy node with few files: without EFA devices if its type has several."""
    story = healthy(instance_type, **more)
    story.gpus = story.gpus[:gpus]
    story.efa = story.efa if len(story.efa) == 1 else []
    return story


def xid(story: Story, at: float, code: int, words: str, *, gpu: int = 0) -> None:
    story.say(at, f"NVRM: Xid (PCI:{story.gpus[gpu].address[:-2]}): {code}, {words}")


VOLATILE = "ecc_errors/volatile/dram_uncorrectable"
_ACTION, _BRAKE = "gpu_recovery_action", "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown"


def show_fault(story: Story, code: int, *, gpu: int = 0) -> None:
    """Set the values of the GPU that confirm an Xid."""
    one = story.gpus[gpu]
    if code in (79, 143):
        one.lost = "GPU is lost"
    elif code in (48, 95, 140):
        one.elements[VOLATILE] = str(int(one.elements.get(VOLATILE) or 0) + 1)
    elif code == 64:
        one.elements["remapped_rows/remapped_row_pending"] = "Yes"
    elif code in (74, 136):
        one.link_errors = {3: {"Replay Errors": one.link_errors.get(3, {}).get("Replay Errors", 0) + 1}}
    else:
        one.elements[_BRAKE if code == 54 else _ACTION] = "Active" if code == 54 else "Reset"


def fault(story: Story, at: float, code: int, words: str = "Words", *, gpu: int = 0) -> None:
    """A fault that the kernel reports and the GPU shows."""
    xid(story, at, code, words, gpu=gpu)
    show_fault(story, code, gpu=gpu)


def clear_faults(story: Story) -> None:
    """Reset the values that ``show_fault`` has set, except counters."""
    for gpu in story.gpus:
        gpu.lost = ""
        for path in (_ACTION, _BRAKE, "remapped_rows/remapped_row_pending"):
            gpu.elements.pop(path, None)


def reboot(story: Story, *, uptime: int = 3600) -> None:
    """Start with an empty kernel log and counters of the driver at zero."""
    for gpu in story.gpus:
        gpu.link_errors = {}
        gpu.elements.pop(VOLATILE, None)
    story.boot_id = f"{int(story.boot_id[:8], 16) + 1:08x}{story.boot_id[8:]}"
    story.uptime = uptime
    story.log = []


def verdicts(health: Health) -> list[tuple[str, str]]:
    """The code and the verdict of each problem."""
    return [(each.code, each.verdict) for each in health.problems]


def of_kernel(health: Health) -> t.Any:
    (problem,) = (each for each in health.problems if "xid" in each.code)
    return problem


def only(health: Health) -> t.Any:
    (problem,) = health.problems
    return problem
