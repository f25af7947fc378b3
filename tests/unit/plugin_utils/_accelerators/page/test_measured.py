# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL tests with their figures and nodes."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.fleet import Fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.page.measured import measured
from simulated.accelerator_report import documented, iid, report
from simulated.read_html import read


def test_each_test_has_its_figure_and_its_nodes() -> None:
    found = read(measured(Fleet(report(64))).markup)
    assert found.number("nccl") == 2
    assert "slow · research · 201.4 GB/s with 4294967296 bytes, below 302.9 GB/s." in found.text and "not run · research" in found.text
    assert [each.text for each in found.named("a")] == [iid(0), iid(1), iid(0)], "a node that is gone has no link"


def test_without_tests_none_is_shown() -> None:
    assert "No test ran." in read(measured(Fleet(documented({}))).markup).text
