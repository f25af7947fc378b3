# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.contents import secret_text
from simulated.host_keys import NOW

TYPES = ("ed25519", "ecdsa", "rsa")


def made() -> tuple[dict, tuple]:
    text = host_keys.generate(TYPES, now=NOW)
    pairs = json.loads(text)["keys"]
    return {key: {**pair, "public": pair["public"] + " root@login\n"} for key, pair in pairs.items()}, (
        host_keys.public_half("name", text)
    )


PAIRS, KEYS = made()
OTHER_PAIRS, OTHER = made()


def test_the_secret_has_the_contents_of_the_files():
    text = secret_text(PAIRS, KEYS, now=NOW)
    data = json.loads(text)
    assert host_keys.public_half("name", text) == KEYS
    assert {key: pair["private"] for key, pair in data["keys"].items()} == {k: p["private"] for k, p in PAIRS.items()}
    assert data["keys"]["rsa"]["public"] == PAIRS["rsa"]["public"].strip()
    assert (data["version"], data["created"]) == (1, "2026-11-21T12:00:00Z")


def test_only_the_given_types_are_in_the_secret():
    only = tuple(key for key in KEYS if key.type == "ed25519")
    assert list(json.loads(secret_text(PAIRS, only, now=NOW))["keys"]) == ["ed25519"]


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        (OTHER_PAIRS, "The host keys in /etc/ssh on the node .* differ from"),
        ({**PAIRS, "rsa": None}, "no file for these host keys that the node presents: rsa."),
        (
            {**PAIRS, "rsa": {**PAIRS["rsa"], "private": "-----BEGIN RSA PRIVATE KEY-----"}},
            "OPENSSH private key format",
        ),
        ({**PAIRS, "rsa": {**PAIRS["rsa"], "public": OTHER_PAIRS["rsa"]["public"]}}, "a pair whose keys do not match"),
    ],
)
def test_keys_that_the_node_does_not_present_are_refused(pairs, reason):
    with pytest.raises(Refused, match=reason) as refusal:
        secret_text(pairs, KEYS, now=NOW)
    assert not any(line in str(refusal.value) for line in PAIRS["rsa"]["private"].splitlines()[1:-1])
