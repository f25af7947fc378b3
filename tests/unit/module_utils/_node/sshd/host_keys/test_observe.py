# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public host keys of a node."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys import model, observe


def test_public_keys_are_read_by_slot_and_invalid_ones_left_out(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(model, "FOLDER", str(tmp_path))
    for slot, text in {"ed25519": pairs["ed25519"]["public"], "rsa": "nonsense", "ed25519_next": pairs["other"]["public"]}.items():
        (tmp_path / model.public_path(slot).rpartition("/")[2]).write_text(text)
    assert {slot: key.line for slot, key in observe.public_keys().items()} == {
        slot: " ".join(pairs[name]["public"].split()[:2]) for slot, name in (("ed25519", "ed25519"), ("ed25519_next", "other"))
    }
