# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm's two questions come to: what it is told, and whether a job may start."""

from __future__ import annotations

import json
import time
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import (
    before_job,
    check,
    hurry,
    main,
)
from lab.accelerators.story import HANGS, MISSING, Story, healthy, off_the_bus, rebooted

TYPE = "ml.g4dn.12xlarge"
OURS = "mlfleet.hyperpod: accelerators: "
LOST = f"{OURS}unfit-reboot: gpu-xid of GPU 3 (0000:83:00.0)"
DRAINED = f"update nodename=n1 state=drain reason={LOST}"
RESUMED = "update nodename=n1 state=resume"


def bare() -> Story:
    return healthy(TYPE)


def failing(story: Story) -> Story:
    """The kernel says so, and the GPU has counted it."""
    story.gpus[3].elements["ecc_errors/volatile/dram_uncorrectable"] = "1"
    return said(story, 3, 95, "Uncontained memory error")


def missing(story: Story) -> Story:
    story.gpus[3].on_bus = False
    return story


def said(story: Story, gpu: int, code: int, words: str) -> Story:
    """What the kernel said."""
    story.say(80000, f"NVRM: Xid (PCI:{story.gpus[gpu].address[:-2]}): {code}, pid=4711, name=python3, {words}")
    return story


def shown(instance_type: str = TYPE, **told: str) -> Story:
    """What the driver tells of a GPU."""
    story = healthy(instance_type)
    story.gpus[3].elements.update({name.replace("__", "/"): value for name, value in told.items()})
    return story


def without(tool: str, what: str) -> Story:
    story = bare()
    story.tools[tool] = what
    return story


def misconfigured() -> Story:
    story = bare()
    words = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    story.tools["nvidia-smi"], story.statuses["nvidia-smi"] = words, 9
    return story


def ask(here: t.Any) -> int:
    return main.run(here, [main.PROLOG])


def test_a_node_that_is_well_is_left_alone(node: t.Any) -> None:
    here = node.lives(bare())
    assert (main.run(here, []), ask(here), node.told()) == (0, 0, [])
    told = json.loads(Path(here.verdict).read_text())
    assert (told["fit"], told["unfit"]) == (True, "")
    assert Path(here.verdict).stat().st_mode & 0o777 == 0o644
    assert json.loads(Path(here.memory).read_text())["stamp"] is not None


def test_a_node_that_is_unfit_is_drained_and_takes_no_job(node: t.Any, capsys: pytest.CaptureFixture[str]) -> None:
    here = node.lives(failing(bare()))
    assert (main.run(here, []), node.told()) == (0, [DRAINED])
    assert "Updated the node in Slurm" in capsys.readouterr().out
    node.is_in("drained", LOST)
    assert (main.run(here, []), ask(here), node.told()) == (0, main.UNFIT, [])
    assert capsys.readouterr().out == "No job starts on this node: unfit-reboot: gpu-xid of GPU 3 (0000:83:00.0)\n"


def test_a_node_that_is_fit_again_is_resumed(node: t.Any) -> None:
    node.is_in("drained", LOST)
    assert (main.run(node.lives(rebooted(bare())), []), node.told()) == (0, [RESUMED])


@pytest.mark.parametrize("reason", ["Prolog error", "Action:Replace", "mlfleet.hyperpod: replacement: disk", "fan [root]"])
@pytest.mark.parametrize("state", ["drained", "draining", "idle"])
def test_what_is_somebody_elses_matter_stays_so(node: t.Any, state: str, reason: str) -> None:
    node.is_in(state, reason)
    assert (main.run(node.lives(failing(bare())), []), node.told()) == (0, [])
    assert (main.run(node.lives(bare()), []), node.told()) == (0, [])


@pytest.mark.parametrize(
    "story",
    [
        without("nvidia-smi", MISSING),
        without("nvidia-smi", HANGS),
        without("nvidia-smi", "damaged"),
        misconfigured(),
        rebooted(missing(bare()), uptime=60),
        said(bare(), 0, 31, "MMU Fault"),
        said(bare(), 0, 79, "GPU has fallen off the bus."),
        said(without("nvidia-smi", MISSING), 0, 79, "GPU has fallen off the bus."),
        said(shown(gpu_recovery_action=None), 0, 119, "Timeout"),
    ],
    ids=["no tool", "hangs", "damaged", "no driver", "has just booted", "job", "denied", "no witness", "a witness that is not read"],
)
def test_what_is_not_known_to_be_bad_is_no_reason(node: t.Any, story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in (check, before_job):
        monkeypatch.setattr(program, "LOOK_SECONDS", 2.0)
    here = node.lives(story)
    assert (main.run(here, []), ask(here), node.told()) == (0, 0, [])


def test_a_drained_node_that_nobody_can_look_at_stays_drained(node: t.Any) -> None:
    node.is_in("drained", LOST)
    assert (main.run(node.lives(without("nvidia-smi", MISSING)), []), node.told()) == (0, [])


def test_before_a_job_there_is_a_look_without_a_check_before(node: t.Any) -> None:
    assert (ask(node.lives(failing(bare()))), node.told()) == (main.UNFIT, [DRAINED]), "so that a later check can resume it"


@pytest.mark.parametrize(
    ("story", "words"),
    [
        (missing(bare()), "gpu-missing"),
        (off_the_bus(bare(), 3), "gpu-xid of GPU 3 (0000:83:00.0)"),
        (shown(gpu_recovery_action="Reboot"), "gpu-recovery-action of GPU 3 (0000:83:00.0)"),
        (shown("ml.g5.48xlarge", remapped_rows__remapped_row_failure="Yes"), "gpu-rows-failed of GPU 3 (0000:83:00.0)"),
    ],
    ids=["missing", "off the bus", "recovery", "rows"],
)
def test_what_is_seen_in_a_moment_before_a_job(node: t.Any, story: Story, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(node.lives(story)) == main.UNFIT
    assert words in capsys.readouterr().out


def test_an_old_verdict_does_not_count(node: t.Any) -> None:
    here = node.lives(bare())
    for age, status in ((200, main.UNFIT), (400, 0), (-60, 0)):
        Path(here.verdict).write_text(json.dumps({"at": time.time() - age, "fit": False, "unfit": "unfit-reboot: efa-missing"}))
        assert ask(here) == status
    Path(here.verdict).write_text("{}")
    assert ask(here) == 0


@pytest.mark.parametrize(("story", "status"), [(missing(bare()), main.UNFIT), (failing(bare()), 0)], ids=["seen now", "led to by the log"])
def test_where_slurm_does_not_answer_a_job_waits_for_what_is_seen_now(
    node: t.Any, story: Story, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prolog that fails drains the node, and nobody knows how many are drained already."""
    node.does("sinfo", "exit 1")
    here = node.lives(story)
    assert (main.run(here, []), ask(here)) == (0, status)
    assert ("Jobs still start on this unfit node" in capsys.readouterr().out) == (status == 0)


@pytest.mark.parametrize("story", [missing(bare()), failing(bare())], ids=["seen now", "led to by the log"])
def test_beyond_a_share_of_the_partition_nodes_are_only_reported(
    node: t.Any, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    node.others = [f"n2|gpu|drained|{LOST}"]
    node.is_in("idle", "none")
    here = node.lives(story)
    assert (main.run(here, []), ask(here), node.told()) == (0, 0, [])
    assert capsys.readouterr().out.count("1 of 2 nodes of partition gpu are already drained for their accelerators") == 2


def test_whatever_is_broken_is_no_fault_of_the_node(node: t.Any, capsys: pytest.CaptureFixture[str]) -> None:
    here = node.lives(failing(bare()))
    (node.folder / "slurm-health.json").write_text("damaged")
    assert (main.run(here, []), ask(here), node.told()) == (0, 0, [])
    assert capsys.readouterr().out.count("could not be judged") == 2


def test_what_somebody_accepts_takes_no_node_out_of_work(node: t.Any) -> None:
    waiver = {"code": "gpu-xid", "part": "", "until": "2999-12-31", "why": "ticket 4711"}
    here = node.lives(failing(bare()), profile={"waivers": [waiver]})
    assert (main.run(here, []), node.told()) == (0, [])


def test_all_of_it_ends_in_time() -> None:
    """By the deadlines of its parts: a look, the end of what hangs, Slurm's commands."""
    from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import own_node

    for program, most in ((check, 10), (before_job, 10)):
        assert program.LOOK_SECONDS + 1 + own_node.SECONDS <= program.SECONDS < most
    assert before_job.LOOK_SECONDS <= 3 and hurry.KERNEL_LOG < before_job.LOOK_SECONDS
