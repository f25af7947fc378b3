# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observed states of nodes of all types, and the parts that could not be read."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Tools
from lab.accelerators import present, smi
from lab.accelerators.story import HANGS, MISSING, Line, Story, healthy
from lab.accelerators.types import TYPES


def look(story: Story, folder: Path, *, seconds: float = 20, **more: str) -> State:
    """:param more: Scripts of other programs of the node, by name."""
    present.present(story, folder)
    for name, script in more.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    (folder / "plain").mkdir()
    for name in ("cat", "sleep"):
        (folder / "plain" / name).symlink_to(f"/bin/{name}")
    places = Places(str(folder), str(folder / "sys"), str(folder / "proc"))
    tools = Tools(seconds=seconds, remembered=str(folder / "hung"), paths=f"{folder / 'bin'}:{folder / 'plain'}")
    return Observer(places, tools).observe()


def kinds(state: State) -> dict[str, int]:
    found = [each.kind for each in state.pci]
    return {kind: found.count(kind) for kind in sorted(set(found))}


@pytest.mark.parametrize("instance_type", TYPES)
def test_a_healthy_node_is_observed_without_gaps(instance_type: str, tmp_path: Path) -> None:
    story = healthy(instance_type)
    state = look(story, tmp_path)
    kind = story.type
    assert state.unseen == () and state.hung == {} and state.lost == {}
    assert (state.boot_id, state.uptime_seconds) == (story.boot_id, 86400)
    counted = {"gpu": kind.gpus, "nvswitch": kind.switches[1], "efa": kind.efa[1], "neuron": kind.neuron[1]}
    assert kinds(state) == {name: count for name, count in sorted(counted.items()) if count}
    assert [gpu.pci for gpu in (state.smi.gpus if state.smi else ())] == [gpu.address for gpu in story.gpus]
    assert [each.name for each in state.efa] == [each.name for each in story.efa], "other RDMA devices do not count"
    assert state.efa_domains == (tuple(sorted(each.name for each in story.efa)) if story.efa else None)
    assert len(state.neuron) == kind.neuron[1]
    if kind.board and kind.board.links:
        assert {len(each.speeds) for each in state.nvlinks.values()} == {kind.board.links}
    if os.geteuid() == 0:
        (slurmd,) = state.limits
        assert (slurmd.service, slurmd.locked_memory, slurmd.open_files) == ("slurmd", None, 131072)
    assert state.huge_pages[0].total == 5128


def test_versions_services_and_modules_are_read(tmp_path: Path) -> None:
    state = look(healthy("ml.p5.48xlarge"), tmp_path)
    assert state.software == {
        "driver": "570.172.08",
        "driver_kind": "open",
        "efa_installer": "1.43.2",
        "ofi_nccl": "1.16.3",
        "nccl": "2.27.5",
        "libfabric": "2.1.0amzn5.0",
        "fabric_manager": "570.172.08",
    }
    assert state.services == {"nvidia-fabricmanager": "active", "nvidia-persistenced": "active"}
    assert state.modules == {"nvidia": "570.172.08", "nvidia_uvm": "570.172.08", "efa": "2.17.2g", "ib_core": "", "ib_uverbs": ""}
    efa = state.efa[0]
    assert (efa.driver, efa.state, efa.device) == ("efa", "ACTIVE", "1d0f:efa1") and "lifespan" not in efa.counters
    assert efa.port_counters["rx_drops"] == 0 and efa.pci == "0001:40:00.0"


@pytest.mark.parametrize("release", ["2.33", "2.34"])
def test_both_layouts_of_neuron_ls_are_read(release: str, tmp_path: Path) -> None:
    story = healthy("ml.trn2.48xlarge", neuron_release=release)
    story.neuron[3].errors = {"mem_ecc_uncorrected": 2}
    state = look(story, tmp_path)
    assert state.unseen == () and [each.cores for each in state.neuron] == [4] * 16
    assert state.neuron[3].errors["mem_ecc_uncorrected"] == 2 and state.neuron[2].errors["mem_ecc_uncorrected"] == 0


@pytest.mark.parametrize("driver", ["570.172.08", "610.57.04"])
def test_if_one_gpu_is_lost_the_others_are_read_one_by_one(driver: str, tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge", driver=driver)
    story.gpus[3].lost = "GPU is lost.  Reboot the system to recover this GPU"
    state = look(story, tmp_path)
    assert state.lost == {story.gpus[3].address: story.gpus[3].lost}
    assert state.smi and [gpu.pci for gpu in state.smi.gpus] == [gpu.address for gpu in story.gpus if not gpu.lost]
    assert state.unseen == () and kinds(state)["gpu"] == 8


def test_a_gpu_that_is_gone_from_the_bus_is_still_counted_by_the_driver(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[3].on_bus = False
    state = look(story, tmp_path)
    assert kinds(state)["gpu"] == 7 and state.smi and len(state.smi.gpus) == 7 and state.smi.attached == 8


UNSEEN = {
    "no tool": ({"nvidia-smi": MISSING}, "nvidia-smi", "nvidia-smi is not on this node"),
    "no driver": (
        {"nvidia-smi": "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."},
        "GPUs",
        "the output is not a document of nvidia-smi; first line of the output: NVIDIA-SMI has failed",
    ),
    "half a document": ({"nvidia-smi": "<nvidia_smi_log><gpu>"}, "GPUs", "the document is incomplete"),
    "other output": ({"nvidia-smi": "oh\x1b[31m"}, "GPUs", "first line of the output: oh?[31m"),
    "no neuron-ls": ({"neuron-ls": MISSING}, "neuron-ls", "is not on this node"),
    "odd neuron-ls": ({"neuron-ls": "nothing"}, "Neuron devices", "the output is not a JSON document; first line of the output: nothing"),
    "no neuron-monitor": ({"neuron-monitor": MISSING}, "neuron-monitor", "is not on this node"),
    "a neuron-monitor that exits": ({"neuron-monitor": ""}, "neuron-monitor", "the output is not a JSON document"),
    "a neuron-monitor that counts nothing": ({"neuron-monitor": "{}"}, "neuron-monitor", "the output has no counters of devices"),
}


@pytest.mark.parametrize(("tools", "what", "why"), UNSEEN.values(), ids=UNSEEN)
def test_parts_that_could_not_be_read_are_named(tools: dict[str, str], what: str, why: str, tmp_path: Path) -> None:
    story = healthy("ml.trn1.32xlarge" if any("neuron" in name for name in tools) else "ml.p5.48xlarge", tools=tools)
    (unseen,) = look(story, tmp_path).unseen
    assert unseen.what == what and why in unseen.why


def test_a_tool_that_hangs_is_named_once_and_not_started_again(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge", tools={"nvidia-smi": HANGS})
    state = look(story, tmp_path, seconds=0.5)
    assert list(state.hung) == ["nvidia-smi"] and state.smi is None
    assert [each.what for each in state.unseen] == ["nvidia-smi"] and "hangs" in state.unseen[0].why
    assert kinds(state)["gpu"] == 8 and len(state.efa) == 32


OLD = "-k -b -o json --no-pager --quiet --lines=20000"
FELL = "NVRM: Xid (PCI:0000:83:00): 79, pid=4711, name=python3, GPU has fallen off the bus."


def entry_of(microseconds: str) -> dict[str, str]:
    boot = healthy("ml.p5.48xlarge").boot_id.replace("-", "")
    own = {"_TRANSPORT": "kernel", "SYSLOG_FACILITY": "0"}
    return {"_BOOT_ID": boot, "__MONOTONIC_TIMESTAMP": microseconds, "MESSAGE": FELL, **own}


def test_the_log_of_this_boot_is_read(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.say(100.25, FELL)
    log = look(story, tmp_path).log
    (event,) = log.events
    assert (event.code, event.pci, event.at, log.complete) == (79, story.gpus[3].address, 100.25, True)


def test_without_a_journal_the_kernel_buffer_is_read_and_is_incomplete(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge", tools={"journalctl": MISSING})
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/kmsg").write_bytes(b"4,7,100250000,-;" + FELL.encode() + b"\n")
    log = look(story, tmp_path, dmesg="exit 1").log
    assert [(event.at, event.hint) for event in log.events] == [(100.25, False)] and not log.complete
    assert log.missing(100.0) and not log.missing(100.25)


def test_without_any_records_lines_of_dmesg_are_hints(tmp_path: Path) -> None:
    state = look(healthy("ml.p5.48xlarge", tools={"journalctl": MISSING}), tmp_path, dmesg=f"echo '[  100.250000] {FELL}'")
    assert [(event.at, event.hint) for event in state.log.events] == [(100.25, True)] and not state.log.complete
    assert state.log.missing(100.25)


def test_before_systemd_236_all_fields_of_the_journal_are_read(tmp_path: Path) -> None:
    entry = json.dumps(entry_of("100250000"))
    old = f"case \"$*\" in *--output-fields*) exit 1;; '{OLD}') echo '{entry}';; *) exit 2;; esac"
    log = look(healthy("ml.p5.48xlarge"), tmp_path, journalctl=old).log
    assert [event.at for event in log.events] == [100.25] and log.complete


def test_only_the_newest_lines_of_a_long_journal_are_read(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.say(50.0, FELL)
    story.log += [Line(60.0 + number, "usb 1-1: reset") for number in range(19_997)]
    assert look(story, tmp_path / "all").log.complete
    story.say(70_000.5, "usb 1-1: reset", "usb 1-1: reset", FELL)
    log = look(story, tmp_path / "newest").log
    assert [event.at for event in log.events] == [70_000.5] and not log.complete
    assert "60 s after the boot" in log.missing(59.0) and not log.missing(60.0)


def test_a_journal_without_its_oldest_lines_is_incomplete(tmp_path: Path) -> None:
    entry = json.dumps(entry_of("7200250000"))
    log = look(healthy("ml.p5.48xlarge"), tmp_path, journalctl=f"echo '{entry}'").log
    assert [event.at for event in log.events] == [7200.25]
    assert "lacks its oldest lines, and begins 7200 s after the boot" in log.missing(7200) and not log.missing(7200.25)


def test_a_journal_without_kernel_records_counts_as_none(tmp_path: Path) -> None:
    log = look(healthy("ml.p5.48xlarge"), tmp_path, journalctl="exit 0", dmesg=f"echo '[    0.000000] {FELL}'").log
    assert [event.code for event in log.events] == [79]


DENIED = "echo dmesg: read kernel buffer failed: Operation not permitted >&2; exit 1"


@pytest.mark.parametrize(
    ("journal", "dmesg", "why"),
    [(MISSING, DENIED, "Operation not permitted"), ("no permission", DENIED, "Operation not permitted"), (MISSING, "true", "could read the log")],
)
def test_a_log_that_could_not_be_read_is_named(journal: str, dmesg: str, why: str, tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge", tools={"journalctl": journal}, statuses={"journalctl": 1})
    state = look(story, tmp_path, dmesg=dmesg)
    (unseen,) = state.unseen
    assert unseen.what == "kernel log" and why in unseen.why
    assert state.log.events == () and not state.log.complete


def test_a_given_file_is_read_instead_of_the_log_of_the_node(tmp_path: Path) -> None:
    story = healthy("ml.g4dn.12xlarge", tools={"journalctl": "damaged"})
    story.say(100.25, "NVRM: Xid (PCI:0000:53:00): 79, x\ny", FELL)
    present.present(story, tmp_path)
    tools = Tools(seconds=20, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"), str(tmp_path / present.KMSG))
    log = Observer(places, tools).observe().log
    assert [event.kind for event in log.events] == ["torn", "xid"] and log.complete
    (tmp_path / present.KMSG).unlink()
    state = Observer(places, tools).observe()
    assert [each.what for each in state.unseen] == ["kernel log"] and "could not be read" in state.unseen[0].why


def test_the_log_is_read_before_the_values_that_show_faults(tmp_path: Path) -> None:
    """No value may be older than a record. While the log is read, a GPU falls off the bus and an EFA device fails."""
    story = healthy("ml.g5.48xlarge")
    present.present(story, tmp_path)
    gpu, rdma = (tmp_path / "sys" / each for each in (f"bus/pci/devices/{story.gpus[2].address}", f"class/infiniband/{story.efa[0].name}"))
    faults = [
        f"printf '\\377\\377\\377\\377' >{gpu}/config",
        f"echo 1 >{gpu}/current_link_width",
        f"echo '1: DOWN' >{rdma}/ports/1/state",
        f"echo 3 >{rdma}/hw_counters/no_completion_cmds",
        f"echo 'ext4 61440 0 - Live 0x0' >{tmp_path}/proc/modules",
    ]
    for name, lines in (("journalctl", faults), ("nvidia-smi", [])):
        script = tmp_path / "bin" / name
        begin = "\n".join(["#!/bin/sh", f"echo {name} >>{tmp_path}/order", *lines, ""])
        script.write_text(script.read_text().replace("#!/bin/sh\n", begin))
    tools = Tools(seconds=20, remembered=str(tmp_path / "hung"), paths=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    state = Observer(Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc")), tools).observe()
    assert (tmp_path / "order").read_text().split()[:2] == ["journalctl", "nvidia-smi"]
    seen = {each.address: (each.answers, each.link.width) for each in state.pci if each.kind == "gpu"}
    assert seen.pop(story.gpus[2].address) == (False, 1) and {answers for answers, _width in seen.values()} == {True}
    assert (state.efa[0].state, state.efa[0].counters["no_completion_cmds"], state.modules) == ("DOWN", 3, {})


def test_the_log_of_a_node_without_accelerators_is_not_read(tmp_path: Path) -> None:
    state = look(healthy("ml.m5.xlarge"), tmp_path, journalctl=f"echo called >{tmp_path}/called; exit 1")
    assert state.pci == () and state.log.complete and not (tmp_path / "called").exists()


def test_fi_info_may_be_missing_on_the_node(tmp_path: Path) -> None:
    state = look(healthy("ml.p5.48xlarge", tools={"fi_info": MISSING}), tmp_path)
    assert state.unseen == () and state.efa_domains is None and len(state.efa) == 32


def test_no_provider_is_no_domain(tmp_path: Path) -> None:
    answers: dict[str, t.Any] = {"tools": {"fi_info": "fi_getinfo: -61 (No data available)"}, "statuses": {"fi_info": 61}}
    state = look(healthy("ml.p5.4xlarge", **answers), tmp_path)
    assert state.efa_domains == () and state.unseen == ()


def test_no_provider_is_no_domain_even_with_other_output(tmp_path: Path) -> None:
    state = look(healthy("ml.p5.4xlarge"), tmp_path, fi_info="echo note; echo 'fi_getinfo: -61' >&2; exit 61")
    assert state.efa_domains == () and state.unseen == ()


def test_an_fi_info_that_crashes_is_named_and_gives_no_domains(tmp_path: Path) -> None:
    state = look(healthy("ml.p5.4xlarge"), tmp_path, fi_info="echo 'Segmentation fault' >&2; exit 139")
    (unseen,) = state.unseen
    assert state.efa_domains is None
    assert (unseen.what, unseen.why) == ("fi_info", "the output lists no devices; first line of the output: Segmentation fault")


def test_a_failed_service_is_read(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge", services={"nvidia-fabricmanager": "failed", "nvidia-persistenced": "active"})
    assert look(story, tmp_path).services["nvidia-fabricmanager"] == "failed"


@pytest.mark.parametrize("state", ["reloading", "inactive", "activating", "deactivating", "maintenance", "refreshing", "unknown"])
def test_all_states_of_systemd_are_read(state: str, tmp_path: Path) -> None:
    seen = look(healthy("ml.g5.48xlarge", services={"nvidia-fabricmanager": state}), tmp_path)
    assert seen.services == {"nvidia-fabricmanager": state, "nvidia-persistenced": "inactive"} and seen.unseen == ()


NO_STATES = {
    "no bus": "echo Failed to connect to bus: No such file or directory >&2; exit 1",
    "no systemd": "echo System has not been booted with systemd as init system; echo Cannot operate.; exit 1",
    "a chroot": "echo Running in chroot, ignoring command >&2",
    "nothing": "exit 1",
    "one of two": "echo active; exit 3",
    "more than two": "printf 'active\\nactive\\nactive\\n'",
    "an unknown word": "printf 'active\\naktiv\\n'",
}


@pytest.mark.parametrize("script", NO_STATES.values(), ids=NO_STATES)
def test_services_without_a_state_are_named(script: str, tmp_path: Path) -> None:
    state = look(healthy("ml.p5.48xlarge"), tmp_path, systemctl=script)
    (unseen,) = state.unseen
    assert state.services == {} and unseen.what == "services" and unseen.why.startswith("systemctl is-active returned no states")
    assert ("bus" in unseen.why) is ("bus" in script)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_process_of_a_user_with_the_name_of_a_service_does_not_count(tmp_path: Path) -> None:
    story = healthy("ml.m5.xlarge")
    present.present(story, tmp_path)
    os.chown(tmp_path / "proc/812", 1000, 1000)
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"))
    assert Observer(places, Tools(seconds=20, paths=str(tmp_path / "bin"))).observe().limits == ()


def test_a_node_without_readable_parts_names_all_of_them(tmp_path: Path) -> None:
    places = Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc"))
    state = Observer(places, Tools(seconds=20, paths=str(tmp_path))).observe()
    assert {each.what for each in state.unseen} >= {"PCI devices", "limits of services"} and state.smi is None


def test_a_warning_on_the_standard_error_of_nvidia_smi_is_read(tmp_path: Path) -> None:
    story = healthy("ml.g4dn.12xlarge")
    warned = f"cat {tmp_path}/document; echo 'WARNING: infoROM is corrupted at gpu 0000:63:00.0' >&2; exit 14"
    (tmp_path / "document").write_text(smi.document(story))
    document = look(story, tmp_path, **{"nvidia-smi": warned}).smi
    assert document and document.inforom == ("0000:63:00.0",) and len(document.gpus) == 4
