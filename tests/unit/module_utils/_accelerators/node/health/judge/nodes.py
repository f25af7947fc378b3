# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of stories, judged as the module judges them: by what their tools and files say."""

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
        seconds: float = 0,
        dcgm: Asked = Asked(),
        dmesg: str = "",
    ) -> Health:
        """:param after: Seconds since the look before; they do not count as the node's uptime, which the story tells.
        :param seconds: The deadline of tools that are processes; without one they answer at once.
        :param dmesg: What ``dmesg`` says.
        """
        root = self._folder / str(next(self._looks))
        present.present(story, root, tools=bool(seconds))
        tools = self._processes(root, seconds) if seconds else Spoken(story, dmesg)
        state = Observer(Places(str(root), str(root / "sys"), str(root / "proc")), tools, dcgm_asked=dcgm).observe()
        self.now += after
        limits = profile or Profile()
        self.look = look = Look(state, wanted or _wanted(story), limits, self.memory, self.now)
        health = judge(look)
        self.memory = remembered(look, health)
        return health

    def _processes(self, root: Path, seconds: float) -> Tools:
        (root / "plain").mkdir()
        for name in ("cat", "sleep"):
            (root / "plain" / name).symlink_to(f"/bin/{name}")
        return Tools(seconds=seconds, remembered=str(self._folder / "hung"), paths=f"{root / 'bin'}:{root / 'plain'}")


class Spoken(Tools):
    """Tools of a story that say the same as its processes, without any."""

    def __init__(self, story: Story, dmesg: str = "") -> None:
        super().__init__(seconds=0)
        self._story, self._answers = story, present.spoken(story)
        if dmesg:
            self._answers["dmesg"] = {"": (dmesg, 0)}

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        name, story = argv[0], self._story
        if name not in self._answers:
            raise Missing(f"{name} is not on this node")
        answers = self._answers[name]
        said = answers.get(" ".join(argv[1:])) or answers.get("") or ("usage", 2)
        text, status = (story.tools[name], story.statuses.get(name, 0)) if name in story.tools else said
        return Answer(present.lined(text), status)

    def first_line(self, *argv: str) -> str:
        return self.run(*argv).text.partition("\n")[0]


def _wanted(story: Story) -> Expected:
    of_type = expected(story.instance_type)
    return of_type if story.efa else dataclasses.replace(of_type, efa=None)


def lean(instance_type: str, *, gpus: int | None = None, **more: t.Any) -> Story:
    """A healthy node that is quick to present: of EFA devices, which are many, it has none where its type has several."""
    story = healthy(instance_type, **more)
    story.gpus = story.gpus[:gpus]
    story.efa = story.efa if len(story.efa) == 1 else []
    return story


def xid(story: Story, at: float, code: int, words: str, *, gpu: int = 0) -> None:
    story.say(at, f"NVRM: Xid (PCI:{story.gpus[gpu].address[:-2]}): {code}, {words}")


VOLATILE = "ecc_errors/volatile/dram_uncorrectable"
_ACTION, _BRAKE = "gpu_recovery_action", "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown"


def shows(story: Story, code: int, *, gpu: int = 0) -> None:
    """What the GPU itself shows of the fault that an Xid names."""
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
    """The kernel reports it, and the GPU shows it."""
    xid(story, at, code, words, gpu=gpu)
    shows(story, code, gpu=gpu)


def mend(story: Story) -> None:
    """What ``shows`` has done to the GPUs is over."""
    for gpu in story.gpus:
        gpu.lost = ""
        for path in (_ACTION, _BRAKE, "remapped_rows/remapped_row_pending"):
            gpu.elements.pop(path, None)


def reboot(story: Story, *, uptime: int = 3600) -> None:
    """The kernel's log begins anew, and so do the counters of the driver."""
    for gpu in story.gpus:
        gpu.link_errors = {}
        gpu.elements.pop(VOLATILE, None)
    story.boot_id = f"{int(story.boot_id[:8], 16) + 1:08x}{story.boot_id[8:]}"
    story.uptime = uptime
    story.log = []


def told(health: Health) -> list[tuple[str, str]]:
    """Codes and verdicts."""
    return [(each.code, each.verdict) for each in health.problems]


def of_kernel(health: Health) -> t.Any:
    (problem,) = (each for each in health.problems if "xid" in each.code)
    return problem


def only(health: Health) -> t.Any:
    (problem,) = health.problems
    return problem
