# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private keys are read from the secret of the node's cluster, which is read for no other purpose."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import host_key_rotation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import private

Known = t.Callable[..., dict[str, t.Any]]
ONE, TWO = ({"private": each, "public": f"ssh-ed25519 {each}"} for each in "AB")
CONTENT = {"__host_keys_content": json.dumps({"keys": {"ed25519": ONE}, "next": {"keys": {"ed25519": TWO}}})}


def test_secrets_are_named_on_the_host_of_the_cluster(on_node: Known) -> None:
    strange = {"hyperpod_run": {"host_key_secret": "another"}, "hyperpod_region": "eu-north-1", "hyperpod_profile": "another"}
    found = private.secrets({**on_node(), **strange})
    assert found == private.Secrets("shared", "ca", "us-west-2", None, authority_unknown=False, next_unknown=False)


def test_keys_predicted_by_check_mode_are_unknown(on_node: Known) -> None:
    assert private.secrets(on_node(host_ca="(known after apply)")).authority_unknown
    assert private.secrets(on_node(host_ca="ssh-ed25519 CA", next_host_keys=["(known after apply)"])).next_unknown


def test_key_pairs_of_the_published_keys_are_selected(on_node: Known) -> None:
    assert private.pairs({**on_node(), **CONTENT}) == {"ed25519": ONE}
    assert private.next_pairs({**on_node(next_host_keys=["ssh-ed25519 B"]), **CONTENT}) == {"ed25519": TWO}


def test_no_secret_is_read_without_need(on_node: Known) -> None:
    assert private.pairs({**on_node(), "host_keys_vaulted": {"rsa": ONE}}) == {"rsa": ONE}
    assert private.next_pairs(on_node()) == {}
    with pytest.raises(KeyError):
        private.pairs(on_node())


def test_a_missing_key_is_refused_without_disclosing_others(on_node: Known) -> None:
    with pytest.raises(host_key_rotation.MissingPair, match="no private key for the published ssh-rsa key"):
        private.pairs({**on_node(host_keys=["ssh-rsa R"]), **CONTENT})


def test_the_key_of_the_ca_is_read(on_node: Known) -> None:
    assert private.authority_key({**on_node(), **CONTENT}) == "A"
