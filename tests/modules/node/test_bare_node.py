# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules answer on a node that lacks what they look at: a sentence, or that there is nothing."""

from __future__ import annotations

import os
import typing as t

import pytest
from simulated.bare_node import answer

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")

PASSWD = "root:x:0:0:root:/root:/bin/bash\n"


@pytest.fixture
def etc(tmp_path):
    for name, text in {"passwd": PASSWD, "group": "root:x:0:\n"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "options", "words"),
    [
        ("login_info", {}, "sshd"),
        ("sshd_config", {}, "/etc/ssh/sshd_config does not exist on this node; install the OpenSSH server first."),
        ("ssh_host_keys", {"keys": {}}, "keys: an empty set is not allowed; give a pair for at least one of ed25519, ecdsa, rsa."),
        ("ssh_host_keys", {"keys": {"rsa": {"private": "x", "public": "y"}}}, "keys.rsa.public: "),
        ("slurm_user", {"name": "alice", "timeout": -1}, "timeout: -1 is not allowed"),
    ],
)
def test_a_sentence_tells_what_is_missing_or_wrong(etc, module, options, words):
    result = answer(etc, module, options)
    assert result["failed"] and words in result["msg"] and "exception" not in result, result
    assert sorted(path.name for path in etc.iterdir()) == ["group", "passwd"]


@pytest.mark.parametrize("module", ["sshd_config", "ssh_host_keys"])
def test_what_the_rollback_needs_has_its_defaults(etc, module):
    result = answer(etc, module, {"phase": "status", "token": "abc"} | ({"keys": {}} if module == "ssh_host_keys" else {}))
    assert result["sshd_change"] == {"status": "unknown", "token": "abc", "subject": "", "files": [], "note": ""}


@pytest.mark.parametrize(
    ("module", "options", "expected"),
    [
        ("host_key_info", {}, {"host_keys": []}),
        ("login_sessions", {"state": "reported"}, {"login_sessions": []}),
        ("slurm_user", {"name": "alice"}, {"slurm_user": {"jobs": [], "accounting": "unknown", "accounts": []}}),
    ],
)
def test_where_there_is_nothing_nothing_is_found(etc, module, options, expected):
    result = answer(etc, module, {**options, "_ansible_check_mode": True})
    found: dict[str, t.Any] = {name: result.get(name) for name in expected}
    assert (found, result["changed"]) == (expected, False), result
