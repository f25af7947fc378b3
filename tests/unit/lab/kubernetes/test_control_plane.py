# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags by version."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.kubernetes import control_plane


@pytest.mark.parametrize(("version", "supported"), [((1, 20), True), ((1, 22), True), ((1, 23), False), ((1, 34), False)])
def test_flags_that_newer_versions_lack_are_omitted(version: tuple[int, int], supported: bool) -> None:
    folder = Path("/x")
    assert ("--insecure-port=0" in control_plane._api_server(folder, version)) is supported
    assert ("--port=0" in control_plane._controllers(folder, version)) is supported
    assert ("--port=0" in control_plane._local(version)) is supported


def test_the_grace_period_of_nodes_without_a_kubelet() -> None:
    flags = [control_plane._controllers(Path("/x"), (1, 34), *grace) for grace in ((), ("24h",))]
    assert [each for each in flags[1] if each not in flags[0]] == ["--node-monitor-grace-period=24h"]


def test_the_api_server_listens_on_all_addresses_only_for_kubelets_outside() -> None:
    for address, expected in (("", "--bind-address=127.0.0.1"), ("10.246.0.1", "--bind-address=0.0.0.0")):
        assert expected in control_plane._api_server(Path("/x"), (1, 20), address)
