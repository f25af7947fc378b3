# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""accelerator_health on nodes whose kernel lists accelerators, without the tools of their vendors."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.lock import node_lock
from lab.accelerators import present
from lab.accelerators.story import Story, healthy
from simulated.bare_node import answer

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")

OWN_TOOLS = """
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
Tools.__init__.__kwdefaults__["paths"] = {paths!r}
"""


def paths_below(root: Path) -> dict[str, str]:
    """Paths of the node instead of the machine that runs the tests, whose kernel log may hold anything."""
    return {"sysfs_root": str(root / "sys"), "proc_root": str(root / "proc"), "kernel_log": str(root / present.KMSG)}


def judged(node: t.Any, root: Path, story: Story, **options: t.Any) -> dict[str, t.Any]:
    if not (root / "sys").exists():
        present.present(story, root)
    places = {**paths_below(root), "_memory_file": str(root / "memory.json")}
    result = node.run("accelerator_health", instance_type=story.instance_type, **{**places, **options})
    assert not result.get("failed") and result["changed"] is False, result
    return result


def test_accelerators_that_cannot_be_checked_are_not_fit(node, tmp_path):
    result = judged(node, tmp_path, healthy("ml.p6-b200.48xlarge"))
    health = result["health"]
    assert (health["verdict"], health["problems"], health["waived"]) == ("unknown", [], [])
    assert {"what": "nvidia-smi", "why": "nvidia-smi is not on this node"} in health["not_looked_at"]
    assert "EFA devices" in health["looked_at"] and "GPUs" not in health["looked_at"]
    source = "the collection's table, for p6-b200.48xlarge"
    assert health["expected"] == {"gpus": 8, "efa_devices": 8, "neuron_devices": 0, "source": source}
    (finding,) = result["hyperpod_findings"]
    assert (finding["kind"], finding["code"]) == ("pending", "accelerators-unseen") and "nvidia-smi is not on this node" in finding["text"]


def test_the_given_kernel_log_is_read(node, tmp_path):
    story = healthy("ml.p6-b200.48xlarge")
    story.say(80_000, "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.", "NVRM: Xid (PCI:0000:99:00): 79, x\ny")
    health = judged(node, tmp_path, story)["health"]
    assert {each["code"]: each["verdict"] for each in health["problems"]} == {"gpu-xid": "unknown", "kernel-log-stranger": "watch"}
    assert health["verdict"] == "unknown" and "kernel log" in health["looked_at"]
    (tmp_path / present.KMSG).unlink()
    health = judged(node, tmp_path, story)["health"]
    assert {"what": "kernel log", "why": f"{tmp_path / present.KMSG} could not be read"} in health["not_looked_at"]


def test_a_check_does_not_wait_for_a_run_that_changes_the_node(node, tmp_path):
    with node_lock():
        judged(node, tmp_path, healthy("ml.p6-b200.48xlarge"))


def test_devices_missing_on_the_bus_are_reported(node, tmp_path):
    story = healthy("ml.p6-b200.48xlarge")
    story.efa.pop()
    story.gpus.pop()
    result = judged(node, tmp_path, story)
    found = {each["code"]: each for each in result["health"]["problems"]}
    assert result["health"]["verdict"] == "unfit-reboot" and set(found) == {"efa-missing", "gpu-missing"}
    assert found["efa-missing"]["text"] == "7 of 8 EFA devices are present (expected by the collection's table, for p6-b200.48xlarge)."
    assert {each["kind"] for each in result["hyperpod_findings"]} == {"failure"}
    assert [each["verdict"] for each in result["health"]["gpus"]] == ["fit"] * 7
    assert result["health"]["versions"]["driver"] == "570.172.08"
    assert "BatchRebootClusterNodes" in result["hyperpod_findings"][0]["next_step"]


def test_counts_from_ec2_override_the_table(node, tmp_path):
    counts = {"expected_gpus": 9, "expected_efa_devices": 8, "expected_neuron_devices": 0}
    health = judged(node, tmp_path, healthy("ml.p6-b200.48xlarge"), **counts)["health"]
    (problem,) = health["problems"]
    assert problem["text"] == "8 of 9 GPUs are present (expected by EC2)." and health["expected"]["source"] == "EC2"


def test_the_instance_type_is_read_from_the_machine(node, tmp_path):
    present.present(healthy("ml.p5en.48xlarge"), tmp_path)
    (tmp_path / "sys/class/dmi/id").mkdir(parents=True)
    (tmp_path / "sys/class/dmi/id/product_name").write_text("p5en.48xlarge\n")
    assert judged(node, tmp_path, Story(""))["health"]["expected"]["efa_devices"] == 16


def test_it_records_a_sample(node, tmp_path):
    story = healthy("ml.g4dn.12xlarge")
    judged(node, tmp_path, story, check=True)
    assert not (tmp_path / "memory.json").exists()
    judged(node, tmp_path, story, instance_id="i-00000000000000001")
    recorded = json.loads((tmp_path / "memory.json").read_text())
    assert (recorded["instance_id"], recorded["stamp"], recorded["sample"]["boot_id"]) == ("i-00000000000000001", None, story.boot_id)
    assert (tmp_path / "memory.json").stat().st_mode & 0o777 == 0o600


def test_a_record_of_another_instance_is_ignored(node, tmp_path):
    story = healthy("ml.g4dn.12xlarge")
    for instance_id, kept in (("", ""), ("i-00000000000000001", "i-00000000000000001"), ("", "i-00000000000000001")):
        judged(node, tmp_path, story, instance_id=instance_id)
        assert json.loads((tmp_path / "memory.json").read_text())["instance_id"] == kept


def test_waivers_are_applied(node, tmp_path):
    story = healthy("ml.p6-b200.48xlarge")
    story.efa.pop()
    waiver = {"code": "efa-missing", "until": "2999-12-31", "why": "ticket 4711"}
    health = judged(node, tmp_path, story, profile={"waivers": [waiver]})["health"]
    assert health["verdict"] == "unknown" and health["problems"] == []
    assert [(each["code"], each["until"], each["why"]) for each in health["waived"]] == [("efa-missing", "2999-12-31", "ticket 4711")]


def test_check_mode_starts_no_load(node, tmp_path):
    present.present(healthy("ml.p4d.24xlarge"), tmp_path)
    (tmp_path / "bin/dcgmi").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    (tmp_path / "bin/dcgmi").chmod(0o755)
    given = {**paths_below(tmp_path), "_memory_file": f"{tmp_path}/memory.json", "dcgm_level": 2}
    results = [
        answer(node.etc, "accelerator_health", {**given, "_ansible_check_mode": check}, first=OWN_TOOLS.format(paths=f"{tmp_path}/bin:/usr/bin:/bin"))
        for check in (True, False)
    ]
    assert (tmp_path / "asked").read_text() == "diag -r 1 -j\ndiag -r 2 -j\n"
    assert {"what": "DCGM level 2", "why": "check mode starts no test"} in results[0]["health"]["not_looked_at"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dcgm_level": 5}, "value of dcgm_level must be one of: 1, 2, 3, 4, got: 5"),
        ({"timeout": 0}, "timeout: 0 is not allowed. Allowed: a number of seconds from 1 to 300."),
        ({"expected_gpus": -1}, "expected_gpus: -1 is not allowed. Allowed: a number from 0."),
        ({"expected_efa_devices": -1}, "expected_efa_devices: -1 is not allowed."),
        ({"expected_neuron_devices": -2}, "expected_neuron_devices: -2 is not allowed."),
        ({"kernel_log": "kmsg"}, "kernel_log: 'kmsg' is not allowed. Allowed: an absolute path, or an empty string."),
        ({"_memory_file": "here.json"}, "_memory_file: 'here.json' is not allowed. Allowed: an absolute path."),
        ({"profile": {"settle_seconds": 0}}, "profile.settle_seconds: 0 is not allowed. Allowed: a number from 1."),
        (
            {"profile": {"waivers": [{"code": "x", "until": "soon", "why": "y"}]}},
            "profile.waivers.until: 'soon' is not allowed. Allowed: a date such as 2026-12-31.",
        ),
    ],
)
def test_bad_input_is_refused(node, options, message):
    result = node.run("accelerator_health", **options)
    assert result.get("failed") and message in result["msg"], result
