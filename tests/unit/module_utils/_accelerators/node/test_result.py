# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What accelerator_info returns: JSON values, with printable text only."""

from __future__ import annotations

import json
from pathlib import Path

from ansible.module_utils.common.yaml import yaml_load
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
from ansible_collections.mlfleet.hyperpod.plugins.modules import accelerator_info
from lab.accelerators import present
from lab.accelerators.story import Story, healthy


def returned(story: Story, folder: Path) -> dict:
    present.present(story, folder)
    places = Places(str(folder), str(folder / "sys"), str(folder / "proc"))
    tools = Tools(seconds=20, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:/usr/bin:/bin")
    return result(Observer(places, tools).observe())


def test_exactly_the_documented_keys_are_returned(tmp_path: Path) -> None:
    found = returned(healthy("ml.p5.48xlarge"), tmp_path)
    documented = yaml_load(accelerator_info.RETURN)["accelerators"]["contains"]
    assert set(found) == set(documented) and set(found["gpus"][0]) == set(documented["gpus"]["contains"])
    assert set(found["driver"]) == set(documented["driver"]["contains"])
    for name in ("pci_devices", "efa_devices", "limits", "huge_pages"):
        for each in found[name][:1]:
            assert set(each) == set(documented[name]["sample"][0]), name
    assert json.loads(json.dumps(found)) == found


def test_links_are_listed_under_their_gpu(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[1].links_down = {2}
    story.gpus[1].link_errors = {3: {"Replay Errors": 4}}
    links = returned(story, tmp_path)["gpus"][1]["nvlinks"]
    assert links[2]["gigabytes_per_second"] is None
    assert links[3] == {"link": 3, "gigabytes_per_second": 26.562, "errors": {"replay_errors": 4, "recovery_errors": 0, "crc_errors": 0}}


def test_an_xid_has_the_actions_of_its_sources(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.say(5.0, "NVRM: Xid (PCI:0000:83:00): 63, pid=1, name=a\u202e, Row Remapper: New row")
    story.say(6.0, "NVRM: GPU 0000:83:00.0: GPU has fallen off the bus.")
    found = returned(story, tmp_path)
    xid, gone = found["kernel_events"]
    documented = yaml_load(accelerator_info.RETURN)["accelerators"]["contains"]["kernel_events"]["sample"][0]
    assert set(xid) == set(documented) and found["kernel_log_complete"]
    assert (xid["nvidia"], xid["eks_repair"], xid["eks_agent"], xid["process"]) == ("IGNORE", "Reboot", "fatal", "a?")
    assert (gone["kind"], gone["at"], "nvidia" in gone) == ("gone", 6.0, False)


def test_text_of_tools_and_users_is_printable(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[0].elements = {"serial": "1\u202e2", "temperature/gpu_temp": "Unknown Error \u202e"}
    found = returned(story, tmp_path)
    assert found["gpus"][0]["serial"] == "1?2" and found["gpus"][0]["broken"] == {"gpu_temp": "Unknown Error ?"}
    assert json.dumps(found, ensure_ascii=False).isprintable()
