# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys of a node are signed, and for which names."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.host_keys import certificates

Known = t.Callable[..., dict[str, t.Any]]
LONG = f"ssh-rsa {'R' * 60}"


def key(kind: str, line: str, certificate: str | None = None) -> dict[str, t.Any]:
    return {"type": kind, "public_key": line, "certificate": certificate}


READ = {
    "__host_keys_own": {
        "host_keys": [key("ed25519", "ssh-ed25519 A", "cert A"), key("dsa", "ssh-dss D", "cert D"), key("rsa", LONG)]
    }
}


def own(variables: dict[str, t.Any], **given: t.Any) -> certificates.Own:
    return certificates.own({**variables, **READ, **given})


def test_keys_of_declared_types_are_signed(on_node: Known) -> None:
    found = own(on_node())
    assert (found.public_keys, found.certificates) == (["ssh-ed25519 A", LONG], ["cert A", "cert D"])


@pytest.mark.parametrize(
    ("lines", "keys"),
    [
        ([f"i-ml-1 {LONG}", "i-ml-1 ssh-ed25519 A"], None),
        ([f"i-ml-1 {LONG}"], "(ssh-ed25519 A)"),
        (["i-ml-1 ssh-ed25519 A"], "(ssh-rsa...)"),
        (None, "(ssh-ed25519 A, ssh-rsa...)"),
    ],
)
def test_a_key_that_is_not_in_the_trust_record_is_refused(on_node: Known, lines: list[str] | None, keys: str | None) -> None:
    recorded = {"i-ml-2": ["i-ml-2 ssh-ed25519 A"], **({} if lines is None else {"i-ml-1": lines})}
    refusals = own(on_node(node_host_keys=recorded)).refusals
    assert [(each["code"], each["kind"]) for each in refusals] == [("host-keys-not-trusted", "failure")] * (keys is not None)
    assert all(keys is not None and keys in each["text"] and each["text"].startswith("i-ml-1 has") for each in refusals)


def test_certificates_are_valid_for_the_names_of_a_node(on_node: Known) -> None:
    given = {"host_keys_aliases": ["login.example.com", "lb"], "hyperpod_private_ip": "10.1.1.1"}
    names = ["lb", "login.example.com", "10.1.1.1", "i-ml-1", "i-ml-1.hyperpod"]
    assert own(on_node(login_name="lb"), **given).principals == names
    assert own(on_node(login_name="(known after apply)")).principals == names[-2:]
    assert own(on_node()).principals == names[-2:]


def test_certificates_are_grouped_by_type(on_node: Known) -> None:
    made = [{"type": "ed25519", "certificate": "new", "valid_until": "2027-01-01T00:00:00Z"}]
    found = certificates.signed({**on_node(host_ca="CA"), **READ, "__host_keys_signed": {"host_certificates": made}})
    assert found == certificates.Signed(["ssh-ed25519 A", LONG], {"ed25519": "new"})


def test_certificates_of_a_future_ca_are_unknown(on_node: Known) -> None:
    found = certificates.signed({**on_node(host_ca="(known after apply)"), **READ, "__host_keys_signed": {"skipped": True}})
    assert found.certificates == {"ed25519": "(known after apply)", "rsa": "(known after apply)"}
