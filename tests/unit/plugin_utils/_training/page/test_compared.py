# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates next to those of the previous run."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.compared import NONE, compared
from simulated.read_html import read
from simulated.training_report import slower


def test_each_rate_is_shown_with_its_change() -> None:
    found = read(compared("ml", slower()["clusters"]["production"]["compared"]).markup)
    assert "The previous run ended on 2026-11-25 02:30 UTC." in found.text
    assert [[cell.text for cell in row.named("th", "td")] for row in found.named("tr")][1:] == [
        ["Training, tokens/s", "371000", "283900", "-23 %, slower"],
        ["NCCL bus bandwidth, GB/s", "480", "466", "-3 %"],
        ["Checkpoints written, MiB/s", "1900", "1834.2", "-3 %"],
    ]


def test_only_a_drop_of_training_is_called_slower() -> None:
    rates = [
        {"name": "tokens_per_second", "before": 100.0, "now": 91.0},
        {"name": "bus_gb_per_second", "before": 466.0, "now": 12.0},
    ]
    found = read(compared("ml", {"since": "2026-11-25T02:30:00Z", "slower": False, "rates": rates}).markup)
    assert [row.named("td")[-1].text for row in found.named("tr")[1:]] == ["-9 %", "-97 %"]


def test_without_an_earlier_run_nothing_is_compared() -> None:
    assert NONE in read(compared("ml", None).markup).text
