# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nvidia-smi -q -x in the layouts of all drivers, from healthy and from faulty nodes."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import Link, Rows
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.smi import LARGEST, Unreadable, lost, parse
from lab.accelerators import smi
from lab.accelerators.story import healthy

DRIVERS = ["515.105.01", "525.85.12", "535.161.08", "550.144.03", "570.172.08", "580.95.05", "595.58.03"]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("instance_type", ["ml.g4dn.12xlarge", "ml.g6e.48xlarge", "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.p6-b300.48xlarge"])
def test_the_document_of_a_healthy_node_is_read(instance_type: str, driver: str) -> None:
    story = healthy(instance_type, driver=driver)
    found = parse(smi.document(story))
    assert (found.driver, found.attached, found.remarks) == (driver, len(story.gpus), ())
    assert [gpu.pci for gpu in found.gpus] == [gpu.address for gpu in story.gpus]
    assert len({gpu.uuid for gpu in found.gpus}) == len({gpu.serial for gpu in found.gpus}) == len(story.gpus)
    for gpu in found.gpus:
        assert gpu.name == story.board.name and gpu.module_id and gpu.broken == {} and gpu.processes == 0
        assert gpu.held_back == ("gpu_idle",)
        assert {"sram_correctable", "sram_uncorrectable", "dram_correctable", "dram_uncorrectable"} <= set(gpu.memory.volatile)
        assert set(gpu.memory.volatile.values()) == set(gpu.memory.aggregate.values()) == {0}
        spare = {"max": 640, "high": 0, "partial": 0, "low": 0, "none": 0}
        assert gpu.memory.rows == (Rows(0, 0, pending=False, failed=False, spare=spare) if story.board.remaps_rows else None)
        assert gpu.memory.page_pending is (None if story.board.remaps_rows else False)


def test_fields_depend_on_the_driver() -> None:
    old, middle, new, newest = (parse(smi.document(healthy("ml.p5.48xlarge", driver=driver))).gpus[0] for driver in (DRIVERS[0], *DRIVERS[2::2]))
    assert (old.recovery_action, old.reset_required) == (None, None)
    assert (middle.recovery_action, middle.reset_required) == (None, False)
    assert (new.recovery_action, new.reset_required) == ("None", None)
    assert old.held_back_us == middle.held_back_us == {}
    assert new.held_back_us["hw_thermal_slowdown"] == 0 and new.held_back_us["sw_power_cap"] == 129000000
    assert middle.memory.sram_threshold_exceeded is None and new.memory.sram_threshold_exceeded is False
    assert new.memory.repair_pending is None and newest.memory.repair_pending is False
    assert new.fabric and (new.fabric.state, new.fabric.status, new.fabric.health["bandwidth"]) == ("Completed", "Success", "Full")
    assert newest.fabric and newest.fabric.health["summary"] == "Healthy"


def test_current_and_maximum_links_are_read() -> None:
    assert parse(smi.document(healthy("ml.g4dn.12xlarge"))).gpus[0].link == Link(1, 8, 3, 16)
    assert parse(smi.document(healthy("ml.p5.48xlarge"))).gpus[0].link == Link(5, 16, 5, 16)


def test_with_mig_there_are_no_rows_and_no_utilization() -> None:
    story = healthy("ml.p4d.24xlarge")
    story.gpus[0].mig = True
    gpu = parse(smi.document(story)).gpus[0]
    assert (gpu.mig, gpu.memory.rows, gpu.utilization) == (True, None, None)
    assert gpu.memory.volatile["sram_uncorrectable"] == 0


def test_two_counters_of_sram_are_added_up() -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[2].elements = {"ecc_errors/volatile/sram_uncorrectable_parity": "2", "ecc_errors/volatile/sram_uncorrectable_secded": "1"}
    assert parse(smi.document(story)).gpus[2].memory.volatile["sram_uncorrectable"] == 3


def test_values_that_the_driver_could_not_read_are_named() -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[1].elements = {"temperature/gpu_temp": "Unknown Error", "remapped_rows/remapped_row_pending": "GPU is lost"}
    gpu = parse(smi.document(story)).gpus[1]
    assert gpu.broken == {"gpu_temp": "Unknown Error", "remapped_row_pending": "GPU is lost"}
    assert gpu.temperature is None and gpu.memory.rows and gpu.memory.rows.pending is None


def test_names_of_processes_have_no_effect() -> None:
    story = healthy("ml.g6e.48xlarge")
    story.gpus[0].processes = ("ray::Worker, </gpu> & <x>", "Unknown Error")
    gpu = parse(smi.document(story)).gpus[0]
    assert (gpu.processes, gpu.utilization, gpu.broken) == (2, 98, {})


def test_lines_outside_the_document_are_kept() -> None:
    text = smi.document(healthy("ml.p5.4xlarge"))
    found = parse(f"{text}WARNING: infoROM is corrupted at gpu 0000:53:00.0\n")
    assert found.remarks == ("WARNING: infoROM is corrupted at gpu 0000:53:00.0",) and len(found.gpus) == 1
    assert parse("\x1b[1mNote\n" + text).remarks == ("\x1b[1mNote",)


WHOLE = smi.document(healthy("ml.p5.4xlarge"))
BAD = {
    "nothing": ("", "not a document of nvidia-smi"),
    "words": ("Failed to initialize NVML: Unknown Error", "not a document of nvidia-smi"),
    "another language": ("Kein Gerät gefunden", "not a document of nvidia-smi"),
    "cut at the end": (WHOLE[: WHOLE.index("</nvidia_smi_log>") - 1], "document is incomplete"),
    "cut inside": (WHOLE[:900], "document is incomplete"),
    "two": (WHOLE + WHOLE, "several documents"),
    "a gap": (WHOLE.replace("<serial>", "<seri"), "damaged"),
    "entities": (WHOLE.replace("<serial>", "<!ENTITY a 'b'><serial>"), "declaration"),
    "no end tag of a section": (WHOLE.replace("</fabric>", ""), "fabric has no end"),
    "no end tag of an element": (WHOLE.replace("</remapped_row_pending>", "</remapped_row_pendin>"), "damaged"),
    "no start tag of a section": (WHOLE.replace("<fabric>", "<fab"), "has an end but no beginning"),
    "no end tag of a GPU": (WHOLE.replace("</gpu>", ""), "end of a GPU is missing"),
    "a GPU within a GPU": (WHOLE.replace("<serial>", "<gpu id='1'><serial>"), "end of a GPU is missing"),
    "too long": ("x" * (LARGEST + 1), "longer than"),
}


@pytest.mark.parametrize(("text", "why"), BAD.values(), ids=BAD)
def test_other_output_is_no_document(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        parse(text)


def test_entities_of_the_document_type_are_ignored() -> None:
    """They are declared before the root element, and expat gets only the root."""
    bomb = '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    found = parse(WHOLE.replace('<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">', bomb))
    assert len(found.gpus) == 1


def test_a_lost_gpu_is_read_from_the_error_message() -> None:
    text = "Unable to determine the device handle for GPU0000:9B:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
    assert lost(text) == {"0000:9b:00.0": "GPU is lost.  Reboot the system to recover this GPU"}
    assert lost("Unable to determine the device handle for GPU 0000:9B:00.0: Unknown Error") == {"0000:9b:00.0": "Unknown Error"}
    assert lost(WHOLE) == {}


UNREACHED = "Unable to determine the device handle for"


@pytest.mark.parametrize("place", ["GPU3: 0000:5F:00.0", "GPU 3: 0000:5F:00.0", "GPU12: 00000000:5F:00.0", "gpu 3: 0000:5f:00.0"])
def test_the_number_of_a_lost_gpu_may_precede_its_address(place: str) -> None:
    assert lost(f"{UNREACHED} {place}: Unknown Error\n") == {"0000:5f:00.0": "Unknown Error"}


@pytest.mark.parametrize(
    "words",
    [
        "GPU3: Unknown Error",
        "GPU3: : Unknown Error",
        "GPU3: 0000:5F:00.0",
        "GPU3: 0000:5F:00.9: Unknown Error",
        "GPU3: 3: 0000:5F:00.0: Unknown Error",
        "GPU-1: 0000:5F:00.0: Unknown Error",
        "GPU3: 0000:5F:00.0::: Unknown Error",
        "GPU3:\n0000:5F:00.0: Unknown Error",
        f"GPU{'3' * 100_000}: {':' * 100_000}",
    ],
)
def test_a_message_without_an_address_names_no_lost_gpu(words: str) -> None:
    assert lost(f"{UNREACHED} {words}\n") == {}


def test_the_message_about_one_lost_gpu_names_no_other() -> None:
    output = f"{UNREACHED} GPU3: 0000:5F:00.0: Unknown Error: 0000:6F:00.0: x\x1b[31m\n{WHOLE}"
    assert lost(output) == {"0000:5f:00.0": "Unknown Error: 0000:6F:00.0: x\x1b[31m"}


def test_volta_counts_bits() -> None:
    story = healthy("ml.g4dn.12xlarge")
    volta = "<single_bit><total>3</total></single_bit><double_bit><total>1</total></double_bit>"
    text = smi.document(story).replace("<aggregate>", f"<aggregate>{volta}")
    assert {"single_bit": 3, "double_bit": 1}.items() <= parse(text).gpus[0].memory.aggregate.items()


CLOCKS = "<supported_clocks><supported_mem_clock><value>2619 MHz</value></supported_mem_clock></supported_clocks>"
UNUSED = {
    "an extra end tag": CLOCKS.replace("</value>", "</value></supported_mem_clock>"),
    "a missing end tag": CLOCKS.replace("</supported_clocks>", ""),
    "a missing inner end tag": CLOCKS.replace("</supported_mem_clock>", ""),
    "a cut start tag": CLOCKS.replace("<supported_clocks>", "<supported_clo"),
    "a missing start tag": CLOCKS.replace("<supported_clocks>", ""),
    "an ampersand": "<gpu_part_number>900 & 1</gpu_part_number>",
    "a character that XML forbids": "<gpu_part_number>900\x02\x1b\0\ufffe</gpu_part_number>",
    "text without an element": "nvidia-smi: warning",
    "an element without a name": "<>",
}


@pytest.mark.parametrize("damage", UNUSED.values(), ids=UNUSED)
@pytest.mark.parametrize("place", ["<serial>", "<fabric>", "<processes>", "</gpu>"])
def test_a_section_that_is_not_read_may_be_damaged(damage: str, place: str) -> None:
    whole = smi.document(healthy("ml.p5.48xlarge", driver="595.58.03"))
    assert parse(whole.replace(place, f"{damage}{place}")).gpus == parse(whole).gpus


NAMES = ["a\x02b", "\x1b[31m", "\0", "\ufffe", "\ud800".encode("utf-8", "replace").decode(), "a & b", "<x", "x>", "]]>", "&#2;", "<!ENTITY a 'b'>", "x" * 5000]


@pytest.mark.parametrize("name", NAMES)
def test_odd_characters_in_the_name_of_a_process_have_no_effect(name: str) -> None:
    """Drivers escape markup and copy control characters. An unescaped name must have no effect either."""
    story = healthy("ml.p5.48xlarge")
    story.gpus[0].processes = ("python3",)
    whole = smi.document(story)
    assert parse(whole.replace("python3", name)).gpus == parse(whole).gpus


@pytest.mark.parametrize("name", ["</processes><gpu_recovery_action>Reboot</gpu_recovery_action><processes>", "</process_info><process_info>"])
def test_elements_in_the_name_of_a_process_set_no_value(name: str) -> None:
    story = healthy("ml.p5.48xlarge", driver="550.163.01")
    story.gpus[0].processes = ("python3",)
    found = parse(smi.document(story).replace("python3", name)).gpus[0]
    assert (found.recovery_action, found.reset_required, found.unread) == (None, False, {})


ABSENT = ["N/A", "[N/A]", "Not Supported", "Requested functionality has been deprecated", None]
UNREAD = ["Unknown Error", "[Unknown Error]", "GPU is lost", "ERR!", "Perhaps", "Insufficient Permissions"]
PLACES = [
    "remapped_rows/remapped_row_pending",
    "remapped_rows/remapped_row_failure",
    "remapped_rows",
    "ecc_errors/aggregate/sram_threshold_exceeded",
    "ecc_errors/unrepairable_memory",
    "ecc_errors/channel_repair_pending",
    "ecc_errors/volatile/dram_uncorrectable",
    "temperature/gpu_temp_tlimit",
    "pci/pci_gpu_link_info/link_widths/current_link_width",
    "clocks_event_reasons/clocks_event_reason_hw_slowdown",
    "mig_mode/current_mig",
]


@pytest.mark.parametrize("words", [*ABSENT, *UNREAD])
@pytest.mark.parametrize("place", PLACES)
def test_absent_and_unreadable_values_are_distinguished(place: str, words: str | None) -> None:
    story = healthy("ml.p5.48xlarge", driver="595.58.03")
    story.gpus[0].elements = {place: words}
    gpu = parse(smi.document(story)).gpus[0]
    assert gpu.unread == ({} if words in ABSENT else {place: words})
    assert parse(smi.document(story)).gpus[1].unread == {}


def test_a_sum_with_an_unreadable_part_is_missing() -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[0].elements = {"ecc_errors/volatile/sram_uncorrectable_secded": "Unknown Error"}
    gpu = parse(smi.document(story)).gpus[0]
    assert "sram_uncorrectable" not in gpu.memory.volatile and gpu.memory.volatile["dram_uncorrectable"] == 0


def test_a_recommended_drain_means_that_a_reset_is_required() -> None:
    story = healthy("ml.p5.48xlarge", driver="535.161.08")
    story.gpus[0].elements = {"gpu_reset_status/drain_and_reset_recommended": "Yes"}
    assert [gpu.reset_required for gpu in parse(smi.document(story)).gpus[:2]] == [True, False]


@pytest.mark.parametrize(("words", "count"), [("", 0), ("N/A", None), ("Unknown Error", None)])
def test_processes_that_are_not_listed_are_unknown(words: str, count: int | None) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[0].elements = {"processes": words}
    assert parse(smi.document(story)).gpus[0].processes == count


FABRICS = [
    ({"fabric/state": "N/A", "fabric/status": "N/A", "fabric/health": None}, None),
    ({"fabric": "N/A"}, None),
    ({"fabric": None}, None),
    ({"fabric/status": "Unknown Error"}, ("Completed", "Unknown Error")),
    ({"fabric/state": "Unknown Error", "fabric/status": "N/A"}, ("Unknown Error", "")),
    ({"fabric/state": "Not Supported"}, ("Not Supported", "Success")),
]


@pytest.mark.parametrize(("elements", "expected"), FABRICS)
def test_the_fabric_has_state_and_status_of_the_driver(elements: dict[str, str | None], expected: tuple[str, str] | None) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[0].elements = elements
    fabric = parse(smi.document(story)).gpus[0].fabric
    assert (fabric and (fabric.state, fabric.status)) == expected


@pytest.mark.parametrize(
    ("words", "health"),
    [*((words, {}) for words in ("", "N/A", "[N/A]", "Not Supported", None)), *((words, {"summary": words}) for words in ("Unknown Error", "Perhaps"))],
)
def test_a_text_instead_of_the_health_flags_is_their_summary(words: str | None, health: dict[str, str]) -> None:
    story = healthy("ml.p5.48xlarge", driver="595.58.03")
    story.gpus[0].elements = {"fabric/health": words}
    fabric = parse(smi.document(story)).gpus[0].fabric
    assert fabric and fabric.health == health


@pytest.mark.parametrize(
    ("elements", "apart"),
    [
        ({}, set()),
        ({"fan_speed": "Unknown Error", "clocks": "ERR!", "vbios_version": "1"}, {"fan_speed", "clocks"}),
        ({"fan_speed": "ERR!", "temperature/memory_temp": "ERR!", "serial": "ERR!"}, {"fan_speed"}),
        ({"fan_speed": "ERR!", "pci/fan_speed": "ERR!"}, set()),
    ],
)
def test_errors_in_unused_sections_are_kept_apart(elements: dict[str, str | None], apart: set[str]) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[1].elements = elements
    found = parse(smi.document(story))
    assert found.apart == ({story.gpus[1].address: apart} if apart else {})
    assert set(found.gpus[1].broken) >= apart


@pytest.mark.parametrize("words", ["Unknown Error", "[N/A]", "N/A", "GPU is lost", "ERR!", "GPU 1", "", None])
def test_the_address_of_the_tag_is_used_if_its_element_has_none(words: str | None) -> None:
    story = healthy("ml.p5.48xlarge")
    for gpu in story.gpus[1:3]:
        gpu.elements = {"pci/pci_bus_id": words, "fan_speed": "ERR!"}
    found = parse(smi.document(story))
    assert [gpu.pci for gpu in found.gpus] == [gpu.address for gpu in story.gpus]
    assert list(found.apart) == [gpu.address for gpu in story.gpus[1:3]]


def test_the_address_of_the_element_overrides_that_of_the_tag() -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[1].elements = {"pci/pci_bus_id": "00000000:07:00.0"}
    assert parse(smi.document(story)).gpus[1].pci == "0000:07:00.0"
