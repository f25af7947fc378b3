# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users that the readiness gate expects, and the removal of one in the format of the gate."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    expectation as gate_expectation,
    options as gate_options,
    units as gate_units,
)

OPTIONS = {
    "state": "open", "port": 223, "former_ports": [], "people_port": 222, "former_people_ports": [], "host_keys": [],
    "host_certificates": [], "mounts": [], "mount_timeout": 5, "silent_mounts": "warn", "instance": "i-0",
}


def config(*users):
    wanted = gate_options.desired({**OPTIONS, "users": [{"name": name, "uid": 20001} for name in users]})
    return gate_units.rendered(wanted, python="python3", serving=[], connections=256)["config"]


def test_a_removed_account_is_no_longer_expected(tmp_path):
    path = tmp_path / "ready.json"
    assert gate_expectation.expected_users(path=str(path)) == ()
    gate_expectation.forget(["mallory"], path=str(path))
    assert not path.exists()
    path.write_text(config("alice", "mallory"))
    assert gate_expectation.expected_users(path=str(path)) == ("alice", "mallory")
    gate_expectation.forget(["mallory"], path=str(path))
    assert path.read_text() == config("alice")
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["lies\n", "[]", "{}", '{"users": 7}', '{"users": ["mallory"]}', '{"users": [{}]}', "\xff"])
def test_a_damaged_file_is_not_changed(tmp_path, text):
    path = tmp_path / "ready.json"
    path.write_bytes(text.encode("latin-1"))
    assert gate_expectation.expected_users(path=str(path)) == ()
    gate_expectation.forget(["mallory"], path=str(path))
    assert path.read_bytes() == text.encode("latin-1")
