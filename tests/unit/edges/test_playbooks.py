# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every play of every playbook is about the selected clusters alone."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

PLAYBOOKS = sorted((Path(__file__).resolve().parents[3] / "playbooks").glob("*.yml"))
SELECTED = "| mlfleet.hyperpod.only_clusters(hyperpod_only | default(''), groups) }}"
OF_EARLIER_PLAYS = ("hyperpod_draining",)
"""Groups that a run makes of the hosts of plays before."""


def plays() -> t.Iterator[tuple[str, str, str]]:
    for path in PLAYBOOKS:
        for play in yaml.safe_load(path.read_text()):
            if "hosts" in play:
                yield path.stem, play["name"], play["hosts"]


@pytest.mark.parametrize(("playbook", "name", "hosts"), list(plays()))
def test_a_play_leaves_out_what_was_not_selected(playbook: str, name: str, hosts: str) -> None:
    if playbook == "begin":
        assert "mlfleet.hyperpod.begin_hosts(" in hosts
    else:
        assert hosts in OF_EARLIER_PLAYS or SELECTED in hosts, f"{playbook}: {name}: {hosts}"
