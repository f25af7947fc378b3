# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of devices of each instance type, and the options that override the table."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.options import memory_file, wanted
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

TYPES: list[tuple[str, int, int | None, int, int, bool]] = [
    ("p4d.24xlarge", 8, 4, 0, 12, False),
    ("p4de.24xlarge", 8, 4, 0, 12, False),
    ("p5.4xlarge", 1, 1, 0, 0, False),
    ("p5.48xlarge", 8, 32, 0, 18, True),
    ("p5e.48xlarge", 8, 32, 0, 18, True),
    ("p5en.48xlarge", 8, 16, 0, 18, True),
    ("p6-b200.48xlarge", 8, 8, 0, 18, True),
    ("p6-b300.48xlarge", 8, 16, 0, 18, True),
    ("p6e-gb200.36xlarge", 4, None, 0, 18, True),
    ("p6e-gb300.36xlarge", 4, None, 0, 18, True),
    ("trn1.2xlarge", 0, 0, 1, 0, False),
    ("trn1.32xlarge", 0, 8, 16, 0, False),
    ("trn1n.32xlarge", 0, 16, 16, 0, False),
    ("trn2.48xlarge", 0, 16, 16, 0, False),
    ("g4dn.12xlarge", 4, None, 0, 0, False),
    ("g4dn.metal", 8, None, 0, 0, False),
    ("g5.48xlarge", 8, None, 0, 0, False),
    ("g6.48xlarge", 8, None, 0, 0, False),
    ("g6e.48xlarge", 8, None, 0, 0, False),
]


@pytest.mark.parametrize(("kind", "gpus", "efa", "neuron", "links", "fabric"), TYPES, ids=[each[0] for each in TYPES])
def test_types_in_the_table(kind: str, gpus: int, efa: int | None, neuron: int, links: int, fabric: bool) -> None:
    known = Expected(gpus, efa, neuron, links, f"the collection's table, for {kind}", fabric)
    assert expected(kind) == known and expected(f"ml.{kind}") == known
    assert expected(kind, gpus=3, efa=2, neuron=1) == Expected(3, 2, 1, links, "EC2", fabric)


WITHOUT = ("g4dn", "g5", "g5g", "g6", "g6e", "g6f", "gr6", "gr6f", "g7", "g7e", "inf1", "inf2", "trn1", "trn1n", "trn2", "trn2u")


@pytest.mark.parametrize("family", WITHOUT)
def test_families_without_nvswitch_have_no_links(family: str) -> None:
    assert expected(f"ml.{family}.1xlarge") == Expected(None, None, None, 0, "nobody", False)


@pytest.mark.parametrize("kind", ["", "ml.g9.48xlarge", "ml.p4d.1xlarge", "p7.48xlarge"])
def test_unknown_types_expect_nothing(kind: str) -> None:
    assert expected(kind) == Expected(None, None, None, None, "nobody", None)


@pytest.mark.parametrize("given", [{"gpus": 0}, {"efa": 0}, {"neuron": 0}])
def test_one_number_is_enough_to_override_the_table(given: dict[str, int]) -> None:
    found = expected("ml.p5.48xlarge", **given)
    assert (found.gpus, found.efa, found.neuron) == (given.get("gpus"), given.get("efa"), given.get("neuron"))
    assert (found.source, found.links, found.fabric) == ("EC2", 18, True)


PARAMS: dict[str, t.Any] = {"instance_type": "", "expected_gpus": None, "expected_efa_devices": None, "expected_neuron_devices": None}


@pytest.fixture
def sysfs(tmp_path: t.Any) -> str:
    folder = tmp_path / "class" / "dmi" / "id"
    folder.mkdir(parents=True)
    (folder / "product_name").write_text("p5en.48xlarge\n")
    return str(tmp_path)


def test_without_the_option_the_type_is_read_from_the_machine(sysfs: str) -> None:
    assert wanted(PARAMS, sysfs) == expected("p5en.48xlarge")
    assert wanted({**PARAMS, "instance_type": "ml.g5.48xlarge"}, sysfs) == expected("g5.48xlarge")
    numbers = {"expected_gpus": 0, "expected_efa_devices": 1, "expected_neuron_devices": 2}
    assert wanted({**PARAMS, **numbers}, sysfs) == expected("p5en.48xlarge", gpus=0, efa=1, neuron=2)


@pytest.mark.parametrize("option", ["expected_gpus", "expected_efa_devices", "expected_neuron_devices"])
def test_negative_numbers_are_refused(option: str, sysfs: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: -1 .* a number from 0") as refused:
        wanted({**PARAMS, option: -1}, sysfs)
    assert refused.value.option == option


def test_the_memory_file_has_an_absolute_path() -> None:
    assert memory_file({"_memory_file": "/var/lib/a.json"}) == "/var/lib/a.json"
    with pytest.raises(Refused, match="an absolute path") as refused:
        memory_file({"_memory_file": "a.json"})
    assert refused.value.option == "_memory_file"
