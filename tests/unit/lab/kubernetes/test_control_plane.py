# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which flags a version gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.kubernetes import control_plane


@pytest.mark.parametrize(("version", "known"), [((1, 20), True), ((1, 22), True), ((1, 23), False), ((1, 34), False)])
def test_flags_that_newer_versions_do_not_know_are_left_out(version: tuple[int, int], known: bool) -> None:
    folder = Path("/x")
    assert ("--insecure-port=0" in control_plane._api_server(folder, version)) is known
    assert ("--port=0" in control_plane._controllers(folder, version)) is known
    assert ("--port=0" in control_plane._local(version)) is known


def test_nodes_without_a_kubelet_stay_ready_for_as_long_as_asked() -> None:
    asked = [control_plane._controllers(Path("/x"), (1, 34), *grace) for grace in ((), ("24h",))]
    assert [each for each in asked[1] if each not in asked[0]] == ["--node-monitor-grace-period=24h"]


def test_the_api_server_listens_on_all_addresses_only_for_kubelets_outside() -> None:
    for address, expected in (("", "--bind-address=127.0.0.1"), ("10.246.0.1", "--bind-address=0.0.0.0")):
        assert expected in control_plane._api_server(Path("/x"), (1, 20), address)
