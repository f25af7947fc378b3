# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of EFA devices in words. What is unknown never looks like traffic."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.efa_traffic import of_job, of_node, size

GREW, MORE = {"counters": "grew", "sent_bytes": 2**30}, {"counters": "grew", "sent_bytes": 3 * 2**29}
SILENT = {"counters": "unchanged", "sent_bytes": 0}
UNKNOWN, NONE = {"counters": "unknown", "sent_bytes": None}, {"counters": "no_devices", "sent_bytes": None}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], ""),
        ([GREW], "1 GiB by 1 node"),
        ([GREW, GREW], "1 GiB by each of 2 nodes"),
        ([GREW, MORE], "1 GiB to 1.5 GiB by each of 2 nodes"),
        ([GREW, SILENT, UNKNOWN], "1 GiB by 1 node, 0 bytes on 1 node, not known on 1 node"),
        ([SILENT, SILENT], "0 bytes on each of 2 nodes"),
        ([UNKNOWN, UNKNOWN], "not known on each of 2 nodes"),
        ([NONE, NONE], "no EFA devices on each of 2 nodes"),
        ([{"counters": "odd", "sent_bytes": 2**30}], "not known on 1 node"),
    ],
)
def test_the_traffic_of_a_job_is_described(rows: list[dict[str, t.Any]], words: str) -> None:
    assert of_job({"efa_traffic": rows}) == words


def test_a_job_without_a_measurement_has_no_words() -> None:
    assert of_job({}) == "" and of_node(UNKNOWN) == "not known"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (5 * 2**19, "2.5 MiB"), (57 * 2**30, "57 GiB"), (2**53, "8.19e+03 TiB")]
)
def test_sizes_have_a_unit(number: int, words: str) -> None:
    assert size(number) == words
