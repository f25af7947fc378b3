# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Healthy nodes with odd values, which a simple check could take for faults."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected
from lab.accelerators.story import MISSING, Story, healthy

from .nodes import Node, lean, reboot, verdicts, xid

DEPRECATED = "Requested functionality has been deprecated"
A100, H100, B300 = "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.p6-b300.48xlarge"
WIDTH, GENERATION = "pci/pci_gpu_link_info/link_widths", "pci/pci_gpu_link_info/pcie_gen"
REASONS, COUNTERS = "clocks_event_reasons/clocks_event_reason_", "clocks_event_reasons_counters/clocks_event_reasons_counters_"

VALUES: list[tuple[str, str, str, dict[str, str | None]]] = [
    (
        "corrected and uncorrected lifetime errors",
        A100,
        "535.183.01",
        {"ecc_errors/aggregate/dram_correctable": "90210", "ecc_errors/aggregate/dram_uncorrectable": "3"},
    ),
    ("errors corrected since the driver was loaded", A100, "570.172.08", {"ecc_errors/volatile/sram_correctable": "12"}),
    (
        "SRAM errors below their threshold",
        A100,
        "550.163.01",
        {"ecc_errors/aggregate/sram_uncorrectable_parity": "2", "ecc_errors/aggregate/sram_threshold_exceeded": "No"},
    ),
    (
        "rows remapped long ago",
        A100,
        "570.172.08",
        {"remapped_rows/remapped_row_corr": "4", "remapped_rows/remapped_row_unc": "2"},
    ),
    (
        "banks with few spare rows",
        A100,
        "570.172.08",
        {"remapped_rows/row_remapper_histogram/row_remapper_histogram_high": "3 bank(s)"},
    ),
    (
        "banks without spare rows",
        A100,
        "595.91.07",
        {f"remapped_rows/row_remapper_histogram/row_remapper_histogram_{name}": "2 bank(s)" for name in ("partial", "low", "none")},
    ),
    (
        "a GPU that is slowed down only now",
        "ml.g5.48xlarge",
        "570.172.08",
        {f"{REASONS}sw_thermal_slowdown": "Active", "utilization/gpu_util": "98 %"},
    ),
    (
        "a GPU that is slowed down in two checks by a driver without counters",
        "ml.g5.48xlarge",
        "550.163.01",
        {f"{REASONS}sw_thermal_slowdown": "Active", "utilization/gpu_util": "98 %"},
    ),
    (
        "the maximum of retired pages",
        "ml.g4dn.12xlarge",
        "535.183.01",
        {"retired_pages/double_bit_retirement/retired_count": "15"},
    ),
    (
        "values that a newer driver omits",
        A100,
        "595.91.07",
        {"gpu_recovery_action": DEPRECATED, "performance_state": DEPRECATED, "display_mode": DEPRECATED},
    ),
    (
        "a reset state that a newer driver omits",
        A100,
        "550.163.01",
        {"gpu_reset_status/reset_required": DEPRECATED},
    ),
    ("no reset state", A100, "550.163.01", {"gpu_reset_status": None}),
    ("no recovery action", A100, "570.172.08", {"gpu_recovery_action": None}),
    ("an absent recovery action", A100, "570.172.08", {"gpu_recovery_action": "[N/A]"}),
    (
        "brackets around absent values",
        A100,
        "570.172.08",
        {"utilization/gpu_util": "[N/A]", "temperature/gpu_temp": "[Not Supported]"},
    ),
    ("persistence mode off", A100, "570.172.08", {"persistence_mode": "Disabled"}),
    ("ECC off", "ml.g5.48xlarge", "570.172.08", {"ecc_mode/current_ecc": "Disabled"}),
    (
        "a slow PCIe link at rest",
        "ml.g6.48xlarge",
        "570.172.08",
        {f"{GENERATION}/current_link_gen": "1", f"{GENERATION}/max_link_gen": "4"},
    ),
    (
        "a PCIe link that is hidden from the guest",
        A100,
        "570.172.08",
        {f"{WIDTH}/current_link_width": "N/A", f"{GENERATION}/current_link_gen": "N/A"},
    ),
    ("clocks set by an application", A100, "570.172.08", {f"{REASONS}applications_clocks_setting": "Active"}),
    (
        "low clocks at rest",
        A100,
        "570.172.08",
        {f"{REASONS}hw_slowdown": "Active", f"{REASONS}hw_thermal_slowdown": "Active"},
    ),
    (
        "a hot GPU with a degree to spare",
        A100,
        "570.172.08",
        {"temperature/gpu_temp": "91 C", "temperature/gpu_temp_tlimit": "1 C"},
    ),
    (
        "absent temperature limits",
        A100,
        "515.105.01",
        {"temperature/gpu_temp": "91 C", "temperature/gpu_temp_tlimit": None},
    ),
    (
        "memory after its repair",
        A100,
        "595.91.07",
        {"ecc_errors/channel_repair_pending": "No", "ecc_errors/unrepairable_memory": "No"},
    ),
    ("replays of the PCIe link", A100, "570.172.08", {"pci/replay_counter": "12"}),
    ("no serial number", A100, "570.172.08", {"serial": "N/A"}),
    ("no fabric on an A100", A100, "595.91.07", {"fabric/state": "N/A", "fabric/status": "N/A"}),
    ("an unsupported fabric on a PCIe board", "ml.g6.48xlarge", "570.172.08", {"fabric/state": "Not Supported"}),
    ("a fabric with a partition", H100, "595.91.07", {"fabric/health/partition_assigned": "True"}),
    ("a fabric of unknown health", H100, "595.91.07", {"fabric/health": "N/A"}),
    (
        "a fabric without support for its health",
        H100,
        "595.91.07",
        {f"fabric/health/{name}": "Not Supported" for name in ("summary", "bandwidth", "route_unhealthy", "access_timeout_recovery")},
    ),
    ("a fabric error on a board without NVLinks", "ml.g6.48xlarge", "570.172.08", {"fabric/status": "Unknown Error"}),
]


@pytest.mark.parametrize(("kind", "driver", "values"), [each[1:] for each in VALUES], ids=[each[0] for each in VALUES])
def test_odd_values_of_a_gpu_leave_the_node_fit(kind: str, driver: str, values: dict[str, str | None], tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(kind, driver=driver)
    story.gpus[1].elements.update(values)
    for _turn in range(2):
        health = node.judge(story)
        assert (health.verdict, verdicts(health)) == ("fit", [])
        story.uptime += 3600


LINES = [
    *((f"Xid {code} of all GPUs at once", [(code, "pid=7, name=python3, Words")]) for code in (13, 31, 43, 45, 69)),
    *((f"Xid {code} of an application", [(code, "Words")]) for code in (8, 11, 25, 68, 70, 80, 88, 99, 108, 126, 137, 139)),
]


@pytest.mark.parametrize(("lines"), [each[1] for each in LINES], ids=[each[0] for each in LINES])
def test_jobs_do_not_make_a_node_unfit(lines: list[tuple[int, str]], tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    for run in range(3):
        for gpu in range(8):
            for code, words in lines:
                xid(story, 70_000 + 2000 * run + gpu / 10, code, words, gpu=gpu)
    health = Node(tmp_path).judge(story)
    assert health.verdict == "fit"
    assert set(verdicts(health)) == {("job-xid", "fit")}
    assert {each.cause for each in health.problems} == {"workload"}
    assert {each.evidence for each in health.problems} == {"Words (python3)" if "pid" in lines[0][1] else "Words"}


NOTES = [
    "NVRM: Xid (PCI:0000:53:00): 63, Row Remapper: New row marked for remapping",
    "NVRM: Xid (PCI:0000:53:00): 92, High single-bit ECC error rate",
    "NVRM: Xid (PCI:0000:53:00): 121, C2C correctable",
    "NVRM: Xid (PCI:0000:53:00): 14, Channel 00000001",
    "NVRM: Xid (PCI:0000:53:00): 106, SMBPBI Test Message",
    "NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)",
    "NVRM: Xid (PCI:0000:53:00): 147, TREX Fatal",
    "NVRM: API mismatch: the client has the version 570.1, but this kernel module has the version 570.2 (nvidia-gridd)",
    "systemd[1]: nvidia-fabricmanager.service: PIDFile= references a path below legacy directory /var/run/",
    "nv_peer_mem: module verification failed: signature and/or required key missing",
    "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64",
    "NVRM: No NVIDIA GPU found.",
    "NVRM: GPU 0000:53:00.0: RmInitAdapter failed! (0x62:0x40:2363)",
    "NVRM: The NVIDIA GPU 0000:53:00.0\nNVRM: (PCI ID: 10de:20b0) installed in this system is\nNVRM: not supported by the driver",
    "NVRM: Xid (PCI:0000:53:00): 74, NVLink: fatal error detected on link 6(0x40800001, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
    "nvidia-nvswitch3: SXid (PCI:0000:0a:00.0): 20001, Non-fatal, Link 3 TX replay",
    "nvidia-nvswitch3: SXid (PCI:0000:0a:00.0): 10004, Non-fatal, thermal event start",
    "nvidia-nvswitch3: SXid (PCI:0000:0a:00.0): 22013, Non-fatal, Link 3 Minion",
    "ena 0000:00:05.0: Wait for completion (polling) timeout",
    "efa 0001:40:00.0: Failed to process command CREATE_QP (opcode 1) comp_status 5 err -22",
    "infiniband rdmap64s0: Failed to submit command",
]


@pytest.mark.parametrize("line", NOTES)
def test_harmless_records_of_the_kernel_leave_the_node_fit(line: str, tmp_path: Path) -> None:
    story = lean(A100)
    story.say(80000, line)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])


ODD: list[tuple[str, str, t.Callable[[Story], None]]] = [
    (
        "a fabric manager that failed, without NVSwitches",
        "ml.g5.48xlarge",
        lambda story: story.services.update({"nvidia-fabricmanager": "failed"}),
    ),
    (
        "a stopped fabric manager, with NVLink 5",
        B300,
        lambda story: story.services.update({"nvidia-fabricmanager": "inactive"}),
    ),
    ("no persistence daemon", A100, lambda story: story.services.update({"nvidia-persistenced": "inactive"})),
    ("no fi_info on the host", "ml.p5.4xlarge", lambda story: story.tools.update({"fi_info": MISSING})),
    (
        "a limit of only the current session",
        "ml.p5.4xlarge",
        lambda story: story.locked_memory.update({"sshd": "65536"}),
    ),
    (
        "a limit of another service than the one that starts jobs",
        "ml.p5.4xlarge",
        lambda story: story.locked_memory.update({"containerd": "65536"}),
    ),
    ("a wrong count of GPUs in the document", "ml.g5.48xlarge", lambda story: setattr(story, "attached", 7)),
    (
        "jobs at the power limit",
        A100,
        lambda story: [setattr(gpu, "processes", ("python3",)) for gpu in story.gpus] and None,
    ),
    ("no systemctl", A100, lambda story: story.tools.update({"systemctl": MISSING})),
    (
        "a systemctl without systemd",
        A100,
        lambda story: story.tools.update({"systemctl": "Failed to connect to bus: No such file or directory"}),
    ),
    ("no version of the fabric manager", A100, lambda story: story.tools.update({"nv-fabricmanager": MISSING})),
    (
        "Neuron devices with corrected errors",
        "ml.trn1.32xlarge",
        lambda story: story.neuron[3].errors.update({"mem_ecc_corrected": 12, "sram_ecc_corrected": 1}),
    ),
]


@pytest.mark.parametrize(("kind", "change"), [each[1:] for each in ODD], ids=[each[0] for each in ODD])
def test_odd_nodes_are_fit(kind: str, change: t.Callable[[Story], None], tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(kind)
    change(story)
    for _turn in range(2):
        health = node.judge(story)
        assert (health.verdict, verdicts(health)) == ("fit", [])
        story.uptime += 3600


@pytest.mark.parametrize("driver", ["515.105.01", "535.183.01", "550.163.01", "570.172.08", "595.91.07"])
def test_gpus_with_mig_are_fit_without_utilization_and_rows(driver: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100, driver=driver)
    for gpu in story.gpus[:4]:
        gpu.mig = True
    story.say(80000, "NVRM: Xid (PCI:0000:53:00 GPU-I:05): 43, pid=7, name=python3, Ch 00000008")
    health = node.judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [("job-xid", "fit")])


def test_the_links_of_gpus_with_mig_may_be_switched_off(tmp_path: Path) -> None:
    story = lean("ml.p4d.24xlarge")
    for gpu in story.gpus[:4]:
        gpu.mig, gpu.links_down = True, set(range(12))
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])


def test_links_are_not_required_on_a_type_without_nvlink(tmp_path: Path) -> None:
    health = Node(tmp_path).judge(lean("ml.g5.48xlarge", links_missing=("-s", "-e")))
    assert (health.verdict, verdicts(health), health.not_looked_at) == ("fit", [], ())


def test_cards_of_another_vendor_do_not_count_as_efa_devices(tmp_path: Path) -> None:
    story = healthy(B300)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])
    story.efa = story.efa[:15]
    assert verdicts(Node(tmp_path / "fewer").judge(story)) == [("efa-missing", "unfit-reboot")]


CLEANUPS = [
    ("jobs cancelled one after another", [(700 * run, f"pid={7 + run}, name=python3, Ch 8") for run in range(4)]),
    ("processes without a name", [(700 * run, "pid='<unknown>', name=<unknown>, Ch 8") for run in range(4)]),
    ("a process that ends with many channels", [(9 * channel, f"pid=7, name=python3, Ch {channel}") for channel in range(20)]),
    ("a process with two records", [(0, "pid=7, name=python3, Ch 8"), (700, "pid=7, name=python3, Ch 9")]),
]


@pytest.mark.parametrize("lines", [each[1] for each in CLEANUPS], ids=[each[0] for each in CLEANUPS])
def test_cleanup_after_jobs_leaves_the_node_fit(lines: list[tuple[int, str]], tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    for second, words in lines:
        xid(story, 70_000 + second, 45, words, gpu=4)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [("job-xid", "fit")])


@pytest.mark.parametrize(("code", "gpu"), [(43, 4), (69, 4), (45, 5)], ids=["code 43", "code 69", "another GPU"])
def test_cleanup_with_a_cause_each_time_leaves_the_node_fit(code: int, gpu: int, tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    for run in range(3):
        xid(story, 70_000 + 700 * run, code, "pid=9, name=python3, Words", gpu=gpu)
        xid(story, 70_001 + 700 * run, 45, "pid=7, name=python3, Ch 8", gpu=4)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, set(verdicts(health))) == ("fit", {("job-xid", "fit")})


def test_corrected_errors_of_links_of_the_fifth_generation_are_no_problem(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(B300, driver="595.91.07")
    for turn in range(2):
        counted = {"FEC Errors - 0": 10**10 * turn, "Symbol Errors": 50 * turn, "Symbol BER": f"{9 - turn}e-10"}
        story.gpus[1].link_errors = {2: t.cast("dict[str, int]", counted)}
        health = node.judge(story)
        assert (health.verdict, verdicts(health)) == ("fit", [])
        story.uptime += 3600


PEERS = ("retrans_bytes", "retrans_pkts", "retrans_timeout_events", "unresponsive_remote_events", "impaired_remote_conn_events")


@pytest.mark.parametrize("name", PEERS)
def test_counters_about_a_dead_peer_are_no_problem(name: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge")
    for _turn in range(2):
        health = node.judge(story)
        assert (health.verdict, verdicts(health)) == ("fit", [])
        story.uptime += 3600
        story.efa[0].port[name] = 5_000_000


def test_counters_that_decreased_are_no_problem(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    story.efa = healthy(A100).efa
    story.efa[0].port["rx_drops"] = 90_000
    story.gpus[0].link_errors = {2: {"Replay Errors": 40, "CRC Errors": 9_000_000}}
    story.gpus[0].processes = ("python3",)
    path = f"{COUNTERS}hw_therm_slowdown"
    story.gpus[0].elements[path] = "9000000000 us"
    assert node.judge(story).verdict == "fit"
    story.uptime += 3600
    story.efa[0].port["rx_drops"] = 50_000
    story.gpus[0].link_errors = {2: {"Replay Errors": 39, "CRC Errors": 8_000_000}}
    story.gpus[0].elements[path] = "8000000000 us"
    health = node.judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])


def test_two_checks_in_the_same_second_give_no_rate(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    story.gpus[0].processes = ("python3",)
    for counted in (0, 9_000_000):
        story.gpus[0].elements[f"{COUNTERS}hw_therm_slowdown"] = f"{counted} us"
        assert node.judge(story).verdict == "fit"


def test_counters_without_a_previous_check_give_no_rate(tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    story.efa[0].port.update({"rx_drops": 1_000_000, "rdma_read_wr_err": 1_000_000})
    assert Node(tmp_path).judge(story).verdict == "fit"


def test_counters_of_an_earlier_boot_give_no_rate(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge")
    assert node.judge(story).verdict == "fit"
    reboot(story, uptime=90_000)
    story.efa[0].port["rx_drops"] = 1_000_000
    assert node.judge(story).verdict == "fit"


def test_counters_that_an_older_driver_lacks_are_not_required(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge")
    story.absent_counters = ("rdma_write_wr_err", *PEERS)
    assert node.judge(story).verdict == "fit"
    story.absent_counters = ()
    story.efa[0].port["rdma_write_wr_err"] = 1_000_000
    story.uptime += 3600
    assert node.judge(story).verdict == "fit"


@pytest.mark.parametrize("used", [True, False])
def test_slowdowns_count_only_for_gpus_in_use(used: bool, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    story.gpus[1].processes = ("python3",) if used else ()
    for counted in (0, 3_600_000_000):
        story.gpus[1].elements[f"{COUNTERS}hw_therm_slowdown"] = f"{counted} us"
        health = node.judge(story)
        story.uptime += 3600
    assert health.verdict == ("watch" if used else "fit")


@pytest.mark.parametrize("kind", ["ml.p5.4xlarge", "ml.g4dn.12xlarge", "ml.g6.48xlarge"])
def test_types_without_nvlink_are_fit_without_links(kind: str, tmp_path: Path) -> None:
    story = lean(kind)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])


def test_links_of_a_type_without_switches_may_be_inactive(tmp_path: Path) -> None:
    story = lean(A100)
    for gpu in story.gpus:
        gpu.links_down = {4, 5}
    assert Node(tmp_path).judge(story, wanted=Expected(8, None, 0, 0, "a test")).verdict == "fit"


def test_missing_huge_pages_are_no_problem(tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    story.huge_pages = 0
    assert Node(tmp_path).judge(story).verdict == "fit"


def test_two_widths_of_two_gpus_each_are_no_problem(tmp_path: Path) -> None:
    story = lean("ml.g4dn.12xlarge")
    for gpu in story.gpus[:2]:
        gpu.elements[f"{WIDTH}/current_link_width"] = "16x"
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("fit", [])


def test_a_gpu_at_another_address_after_a_reboot_is_not_missing(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    assert node.judge(story).verdict == "fit"
    reboot(story)
    old, story.gpus[7].address = story.gpus[7].address, "0000:fe:00.0"
    for _turn in range(2):
        health = node.judge(story)
        assert (health.verdict, verdicts(health), old in node.memory.gpus) == ("fit", [], False)
        story.uptime += 3600
