# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The health check and the prolog: the update of the Slurm node, and whether a job may start."""

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
    """A GPU with an uncorrected memory error that the kernel reports and the GPU has counted."""
    story.gpus[3].elements["ecc_errors/volatile/dram_uncorrectable"] = "1"
    return with_xid(story, 3, 95, "Uncontained memory error")


def missing(story: Story) -> Story:
    story.gpus[3].on_bus = False
    return story


def with_xid(story: Story, gpu: int, code: int, words: str) -> Story:
    """A story with another kernel record."""
    story.say(80000, f"NVRM: Xid (PCI:{story.gpus[gpu].address[:-2]}): {code}, pid=4711, name=python3, {words}")
    return story


def with_elements(instance_type: str = TYPE, **elements: str) -> Story:
    """A story with other elements of a GPU. Two underscores in a name mean a slash."""
    story = healthy(instance_type)
    story.gpus[3].elements.update({name.replace("__", "/"): value for name, value in elements.items()})
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


def prolog(here: t.Any) -> int:
    return main.run(here, [main.PROLOG])


def test_a_healthy_node_is_left_alone(node: t.Any) -> None:
    here = node.here(bare())
    assert (main.run(here, []), prolog(here), node.updates()) == (0, 0, [])
    saved = json.loads(Path(here.verdict).read_text())
    assert (saved["fit"], saved["unfit"]) == (True, "")
    assert Path(here.verdict).stat().st_mode & 0o777 == 0o644
    assert json.loads(Path(here.memory).read_text())["stamp"] is not None


def test_a_node_that_is_unfit_is_drained_and_takes_no_job(node: t.Any, capsys: pytest.CaptureFixture[str]) -> None:
    here = node.here(failing(bare()))
    assert (main.run(here, []), node.updates()) == (0, [DRAINED])
    assert "Updated the node in Slurm" in capsys.readouterr().out
    node.set_state("drained", LOST)
    assert (main.run(here, []), prolog(here), node.updates()) == (0, main.UNFIT, [])
    assert capsys.readouterr().out == "No job starts on this node: unfit-reboot: gpu-xid of GPU 3 (0000:83:00.0)\n"


def test_a_node_that_is_fit_again_is_resumed(node: t.Any) -> None:
    node.set_state("drained", LOST)
    assert (main.run(node.here(rebooted(bare())), []), node.updates()) == (0, [RESUMED])


@pytest.mark.parametrize("reason", ["Prolog error", "Action:Replace", "mlfleet.hyperpod: replacement: disk", "fan [root]"])
@pytest.mark.parametrize("state", ["drained", "draining", "idle"])
def test_a_state_with_a_reason_of_others_stays(node: t.Any, state: str, reason: str) -> None:
    node.set_state(state, reason)
    assert (main.run(node.here(failing(bare())), []), node.updates()) == (0, [])
    assert (main.run(node.here(bare()), []), node.updates()) == (0, [])


@pytest.mark.parametrize(
    "story",
    [
        without("nvidia-smi", MISSING),
        without("nvidia-smi", HANGS),
        without("nvidia-smi", "damaged"),
        misconfigured(),
        rebooted(missing(bare()), uptime=60),
        with_xid(bare(), 0, 31, "MMU Fault"),
        with_xid(bare(), 0, 79, "GPU has fallen off the bus."),
        with_xid(without("nvidia-smi", MISSING), 0, 79, "GPU has fallen off the bus."),
        with_xid(with_elements(gpu_recovery_action=None), 0, 119, "Timeout"),
    ],
    ids=["no tool", "hangs", "damaged", "no driver", "has just booted", "job", "denied", "no witness", "a witness that is not readable"],
)
def test_a_node_without_a_proven_fault_stays(node: t.Any, story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in (check, before_job):
        monkeypatch.setattr(program, "LOOK_SECONDS", 2.0)
    here = node.here(story)
    assert (main.run(here, []), prolog(here), node.updates()) == (0, 0, [])


def test_a_drained_node_that_cannot_be_checked_stays_drained(node: t.Any) -> None:
    node.set_state("drained", LOST)
    assert (main.run(node.here(without("nvidia-smi", MISSING)), []), node.updates()) == (0, [])


def test_the_prolog_checks_a_node_without_an_earlier_check(node: t.Any) -> None:
    assert (prolog(node.here(failing(bare()))), node.updates()) == (main.UNFIT, [DRAINED]), "so that a later check can resume it"


@pytest.mark.parametrize(
    ("story", "words"),
    [
        (missing(bare()), "gpu-missing"),
        (off_the_bus(bare(), 3), "gpu-xid of GPU 3 (0000:83:00.0)"),
        (with_elements(gpu_recovery_action="Reboot"), "gpu-recovery-action of GPU 3 (0000:83:00.0)"),
        (with_elements("ml.g5.48xlarge", remapped_rows__remapped_row_failure="Yes"), "gpu-rows-failed of GPU 3 (0000:83:00.0)"),
    ],
    ids=["missing", "off the bus", "recovery", "rows"],
)
def test_the_prolog_finds_faults_that_need_no_log(node: t.Any, story: Story, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert prolog(node.here(story)) == main.UNFIT
    assert words in capsys.readouterr().out


def test_an_old_verdict_does_not_count(node: t.Any) -> None:
    here = node.here(bare())
    for age, status in ((200, main.UNFIT), (400, 0), (-60, 0)):
        Path(here.verdict).write_text(json.dumps({"at": time.time() - age, "fit": False, "unfit": "unfit-reboot: efa-missing"}))
        assert prolog(here) == status
    Path(here.verdict).write_text("{}")
    assert prolog(here) == 0


@pytest.mark.parametrize(("story", "status"), [(missing(bare()), main.UNFIT), (failing(bare()), 0)], ids=["seen now", "by the log"])
def test_if_slurm_does_not_answer_only_faults_without_the_log_stop_a_job(
    node: t.Any, story: Story, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prolog that fails drains the node, and the number of drained nodes is unknown."""
    node.set_command("sinfo", "exit 1")
    here = node.here(story)
    assert (main.run(here, []), prolog(here)) == (0, status)
    assert ("Jobs still start on this unfit node" in capsys.readouterr().out) == (status == 0)


@pytest.mark.parametrize("story", [missing(bare()), failing(bare())], ids=["seen now", "by the log"])
def test_above_the_limit_of_drained_nodes_a_fault_is_only_reported(
    node: t.Any, story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    node.others = [f"n2|gpu|drained|{LOST}"]
    node.set_state("idle", "none")
    here = node.here(story)
    assert (main.run(here, []), prolog(here), node.updates()) == (0, 0, [])
    assert capsys.readouterr().out.count("1 of 2 nodes of partition gpu are already drained because of their accelerators") == 2


def test_damaged_settings_are_no_fault_of_the_node(node: t.Any, capsys: pytest.CaptureFixture[str]) -> None:
    here = node.here(failing(bare()))
    (node.folder / "slurm-health.json").write_text("damaged")
    assert (main.run(here, []), prolog(here), node.updates()) == (0, 0, [])
    assert capsys.readouterr().out.count("could not be assessed") == 2


def test_a_waived_problem_does_not_drain_the_node(node: t.Any) -> None:
    waiver = {"code": "gpu-xid", "part": "", "until": "2999-12-31", "why": "ticket 4711"}
    here = node.here(failing(bare()), profile={"waivers": [waiver]})
    assert (main.run(here, []), node.updates()) == (0, [])


def test_all_deadlines_together_fit_the_limit_of_slurm() -> None:
    """The parts are a check, the end of hanging tools, and Slurm's commands."""
    from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.hooks.program import own_node

    for program, most in ((check, 10), (before_job, 10)):
        assert program.LOOK_SECONDS + 1 + own_node.SECONDS <= program.SECONDS < most
    assert before_job.LOOK_SECONDS <= 3 and hurry.KERNEL_LOG < before_job.LOOK_SECONDS
