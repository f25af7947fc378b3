# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_key_info on a bare node."""

from __future__ import annotations

import datetime
import json
import os

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_a_node_without_host_keys(node):
    for check in (True, False):
        assert reads(node, "host_key_info", check=check)["host_keys"] == []


def test_public_keys_are_read_and_private_ones_are_not(node):
    pair = json.loads(host_keys.generate(["ed25519"], now=datetime.datetime.now(datetime.timezone.utc)))["keys"]["ed25519"]
    (node.etc / "ssh").mkdir()
    (node.etc / "ssh/ssh_host_ed25519_key").write_text(pair["private"])
    (node.etc / "ssh/ssh_host_ed25519_key.pub").write_text(f"{pair['public']} root@node\n")
    result = reads(node, "host_key_info")
    (key,) = result["host_keys"]
    assert (key["type"], key["public_key"].split()[:2], key["certificate"]) == ("ed25519", pair["public"].split()[:2], None)
    assert "PRIVATE" not in json.dumps(result)
