# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""client_vpn_revocation_list against the simulated endpoint."""

from __future__ import annotations

import datetime
import json

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.connections.model import Connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto as pki_crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import Revoked, iso
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.options import _list
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.plan import is_waiting, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.revocation_list.result import Report
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from simulated.shape import changes_once

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
IMPORT = "ImportClientVpnClientCertificateRevocationList"
AUTHORITY = pki_crypto.make_authority("example", days=10, now=NOW)
OTHER = pki_crypto.make_authority("example", days=10, now=NOW)


def pki(endpoint, **options):
    return endpoint.lab.run("client_vpn_pki", vpc_id=endpoint.vpc, **options)["client_vpn_pki"]


def load(endpoint, crl, **options):
    options = {"client_vpn_endpoint_id": endpoint.id, "poll_interval": 1, "crl": crl, **options}
    return endpoint.lab.run("client_vpn_revocation_list", **options)


def serials(result):
    return {each["name"]: each["serial"] for each in result["people"]}


def test_imported_once(endpoint):
    options = {"client_vpn_endpoint_id": endpoint.id, "poll_interval": 1, "crl": pki(endpoint)["crl"]["pem"]}
    changes_once(endpoint.lab, "client_vpn_revocation_list", passing=["imported"], **options)


def test_a_list_is_imported_once(endpoint):
    lab, crl = endpoint.lab, pki(endpoint)["crl"]
    foreseen = load(endpoint, crl["pem"], check=True)
    assert (foreseen["imported"], foreseen["number"], lab.changes()) == (True, 1, [])
    result = load(endpoint, crl["pem"])
    assert lab.changes() == [IMPORT]
    assert (result["entries"], result["number"], result["next_update"]) == (0, 1, crl["next_update"])
    assert (result["imported"], result["waiting"], result["disconnects"]) == (True, False, [])
    second = load(endpoint, crl["pem"])
    assert (second["changed"], second["imported"], lab.changes()) == (False, False, [])


def test_from_revoked_to_refused(endpoint):
    """The steps for a person who leaves: signed, pending, imported, and refused at the next connection."""
    lab, given = endpoint.lab, serials(pki(endpoint, people=["alice", "mallory"]))
    load(endpoint, pki(endpoint)["crl"]["pem"])
    for name in ("alice", "mallory"):
        assert endpoint.connect(name, given[name])["status"] == "active"
    crl = pki(endpoint, revoked=["mallory"])["crl"]["pem"]

    waiting = load(endpoint, crl, allowed=False)
    assert (waiting["changed"], waiting["waiting"], lab.changes()) == (False, True, [])
    assert waiting["disconnects"] == ["alice", "mallory"]
    assert reported.texts_of(waiting, "pending") == [
        f"Endpoint {endpoint.id} does not have CRL 2 (1 entry) yet, because an import would "
        "disconnect alice, mallory."
    ]
    assert (waiting["number"], waiting["entries"]) == (1, 0)
    assert endpoint.connected() == ["alice", "mallory"]

    result = load(endpoint, crl)
    assert (result["imported"], result["number"], result["entries"]) == (True, 2, 1)
    assert result["disconnects"] == ["alice", "mallory"]
    assert {each["kind"] for each in result["hyperpod_findings"]} == {"note"}
    assert endpoint.connect("mallory", given["mallory"]) is None
    assert endpoint.connect("alice", given["alice"])["status"] == "active"


def test_nothing_is_pending_without_connections(endpoint):
    result = load(endpoint, pki(endpoint)["crl"]["pem"], allowed=False)
    assert (result["imported"], result["waiting"]) == (True, False)


def test_a_busy_endpoint_is_retried(endpoint):
    """Another cluster of the VPC, or a person, changes the endpoint at the same time."""
    crl = pki(endpoint)["crl"]
    endpoint.lab.fault(kind="error", operation=IMPORT, code="ConcurrentMutationLimitExceeded", times=2)
    result = load(endpoint, crl["pem"])
    assert not result.get("failed"), result["msg"]
    assert (result["imported"], result["number"]) == (True, 1)


def test_a_list_that_expires_soon_is_a_warning(endpoint):
    lab = endpoint.lab
    text = lab.client("secretsmanager").get_secret_value(SecretId=f"{endpoint.prefix}/authority")["SecretString"]
    held = json.loads(text)
    signer = pki_crypto.Signer(pki_crypto.read_certificate(held["certificate"]), held["private_key"])
    crl = signer.crl((), number=2, days=12, now=NOW).pem
    for result in (load(endpoint, crl), load(endpoint, crl)):
        assert "and all connections fail from then on" in lab.warnings(result)
    assert "nobody" not in lab.warnings(load(endpoint, crl, warn_before=1))


def test_check_mode_without_an_endpoint(lab):
    unknown = "(known after apply)"
    result = lab.run("client_vpn_revocation_list", client_vpn_endpoint_id=unknown, crl=unknown, check=True)
    assert (result["changed"], result["imported"], result["number"], lab.calls()) == (True, True, None, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"client_vpn_endpoint_id": "(known after apply)"},
            "client_vpn_endpoint_id: '(known after apply)' is not allowed",
        ),
        ({"crl": "no list"}, "crl: '(not shown)' is not allowed"),
        ({"crl": "(known after apply)"}, "crl: '(not shown)' is not allowed"),
        ({"warn_before": -1}, "warn_before: -1 is not allowed"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_call(lab, options, message):
    crl = signed(1).pem
    result = lab.run(
        "client_vpn_revocation_list",
        **{"client_vpn_endpoint_id": "cvpn-endpoint-0123456789abcdef0", "crl": crl, **options},
    )
    assert result["failed"] and message in result["msg"]
    assert lab.calls() == []


def signed(number, *names, authority=AUTHORITY, days=100):
    entries = [Revoked(f"{at + 1:x}", name, iso(NOW), iso(NOW)) for at, name in enumerate(names)]
    return pki_crypto.Signer(authority.certificate, authority.private_key).crl(
        entries, number=number, days=days, now=NOW
    )


ALICE = Connection("cvpn-connection-1", "alice")


@pytest.mark.parametrize(
    ("current", "crl", "allowed", "connected", "steps", "waits"),
    [
        (None, signed(1), True, (), 1, False),
        (None, signed(1), False, (ALICE,), 0, True),
        (signed(1), signed(1), False, (ALICE,), 0, False),
        (signed(1), signed(2, "mallory"), False, (ALICE,), 0, True),
        (signed(1), signed(2, "mallory"), True, (ALICE,), 1, False),
        (signed(1), signed(2, "mallory"), False, (), 1, False),
        (signed(1), None, False, (ALICE,), 0, True),
        (signed(1), None, True, (ALICE,), 1, False),
        (signed(5), signed(1, authority=OTHER), True, (), 1, False),
        (signed(1, days=4), signed(2), False, (ALICE,), 0, True),
        (signed(1, days=3), signed(2), False, (ALICE,), 0, True),
        (signed(1, days=2), signed(2), False, (ALICE,), 1, False),
        (signed(1, days=0), signed(2), False, (ALICE,), 1, False),
        (signed(1, days=2), None, False, (ALICE,), 1, False),
    ],
)
def test_when_a_list_is_imported(current, crl, allowed, connected, steps, waits):
    desired = Desired("cvpn-endpoint-0123456789abcdef0", crl, allowed, NOW)
    observed = State(current, connected)
    assert len(plan(desired, observed).steps) == steps
    assert is_waiting(desired, observed) is waits


def test_a_forced_import_gives_its_reason():
    desired = Desired("cvpn-endpoint-0123456789abcdef0", signed(2), False, NOW)
    before, reporter = State(signed(1, days=2), (ALICE,)), Report(desired)
    report = reporter.result(reporter.noted(plan(desired, before)).after(before))
    first, second = reported.texts_of(report, "note")
    assert reported.texts_of(report, "pending") == [] and "disconnects alice" in first
    assert f"was not deferred, because the current CRL expires at {before.crl.next_update}" in second


ENDLESS = """\
-----BEGIN X509 CRL-----
MIG8MGMCAQEwCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHZXhhbXBsZRcNMjYxMTIx
MTIwMDAwWqAvMC0wCgYDVR0UBAMCAQEwHwYDVR0jBBgwFoAUp/el/b5ot5MYHTnT
gZUlf3pMHv0wCgYIKoZIzj0EAwIDSQAwRgIhAM3LF9nhVyDsNuIKM1GCdgCdmwNc
CdjdUoSEzFZrTytUAiEAj2hO8JS0iTzxSps9G1rYiNUFnndTZ9AZZYhA3i8EAvk=
-----END X509 CRL-----
"""
"""A list with a number and an authority, but without nextUpdate."""


def test_a_list_without_an_expiry_is_refused():
    """AWS accepts it, but its expiry is unknown."""
    with pytest.raises(pki_crypto.NotReadable):
        pki_crypto.read_crl(ENDLESS)


def test_an_older_list_is_refused():
    desired = Desired("cvpn-endpoint-0123456789abcdef0", signed(1), True, NOW)
    with pytest.raises(Refused, match="an older CRL would admit revoked users again"):
        plan(desired, State(signed(2, "mallory")))


def test_an_expired_list_is_refused():
    with pytest.raises(Refused, match="would lock out all users"):
        _list(signed(1, days=0).pem, now=NOW + datetime.timedelta(seconds=1), check_mode=False)
