# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which certificate in ACM is ours, and which changes are refused while another service uses it."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.model import Desired, Imported, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.identity import identity_tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto as pki_crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY

VPC = "vpc-0123456789abcdef0"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
TAGS = identity_tags(VPC)
DESIRED = Desired(VPC, "p/server", TAGS)
ABSENT = dataclasses.replace(DESIRED, present=False)
ARN = "arn:aws:acm:us-west-2:111111111111:certificate/"
ENDPOINT = "arn:aws:ec2:us-west-2:111111111111:client-vpn-endpoint/cvpn-endpoint-0123456789abcdef0"
BALANCER = "arn:aws:elasticloadbalancing:us-west-2:111111111111:loadbalancer/app/shop/0123456789abcdef"
BEHIND = "arn:aws:elasticloadbalancing:us-west-2:999999999999:loadbalancer/net/behind-an-endpoint/0123456789abcdef"


def authority():
    made = pki_crypto.make_authority("example", days=3650, now=NOW)
    return made.certificate, pki_crypto.Signer(made.certificate, made.private_key)


OWN, SIGNER = authority()
_OTHER, OTHERS = authority()


def server(signer=SIGNER):
    return signer.server("server.vpn.example.com", days=397, now=NOW).certificate


NEW = server()
CHAIN = (OWN.fingerprint,)


def imported(name, *used_by, signer=SIGNER, tags=None):
    return Imported(ARN + name, server(signer), CHAIN, used_by, TAGS if tags is None else tags)


def steps(planned):
    return [(step.operation, step.arguments.get("arn", "").removeprefix(ARN)) for step in planned.steps]


def present(*found, recorded=""):
    seen = State(NEW, CHAIN, found, recorded and ARN + recorded, (OWN,))
    return plan(DESIRED, seen, check_mode=False)


SHOP = imported("shop", BALANCER, signer=OTHERS)


@pytest.mark.parametrize(
    ("found", "recorded", "expected"),
    [
        ((), "", [("ImportCertificate", "")]),
        ((SHOP,), "", [("ImportCertificate", "")]),
        ((SHOP, imported("a", ENDPOINT)), "", [("ImportCertificateAgain", "a"), ("RecordCertificate", "a")]),
        ((imported("a", ENDPOINT),), "a", [("ImportCertificateAgain", "a")]),
        ((imported("a", BEHIND),), "a", [("ImportCertificateAgain", "a")]),
        ((imported("old", ENDPOINT, signer=OTHERS),), "old", [("ImportCertificateAgain", "old")]),
        (
            (imported("a"), imported("b", ENDPOINT)),
            "",
            [("DeleteCertificate", "a"), ("ImportCertificateAgain", "b"), ("RecordCertificate", "b")],
        ),
        ((imported("used", BALANCER), imported("b")), "", [("ImportCertificateAgain", "b"), ("RecordCertificate", "b")]),
    ],
)
def test_a_certificate_is_ours_if_recorded_or_issued_by_our_authority(found, recorded, expected):
    assert steps(present(*found, recorded=recorded)) == expected


def test_a_certificate_of_any_of_our_authorities_is_ours():
    """During a change of the authority."""
    seen = State(NEW, CHAIN, (imported("a", ENDPOINT),), "", (_OTHER, OWN))
    assert steps(plan(DESIRED, seen, check_mode=False))[0] == ("ImportCertificateAgain", "a")


def test_a_certificate_in_use_elsewhere_is_refused_by_name():
    with pytest.raises(Refused, match=f"Certificate {ARN}a was not changed, because it is also used outside of Client VPN, by {BALANCER}"):
        present(imported("a", ENDPOINT, BALANCER), recorded="a")
    with pytest.raises(Refused, match=f"Certificate {ARN}a was not changed, because it is also used outside of Client VPN, by {BALANCER}"):
        plan(ABSENT, State(imported=(imported("a", BALANCER),), authorities=(OWN,)), check_mode=False)


def test_a_shared_certificate_without_due_changes_is_left_alone():
    mine = dataclasses.replace(imported("a", ENDPOINT, BALANCER), certificate=NEW)
    assert steps(present(mine, recorded="a")) == []


def test_only_our_certificate_is_removed():
    seen = State(imported=(SHOP, imported("a"), imported("b", tags={})), recorded=ARN + "b", authorities=(OWN,))
    planned = plan(ABSENT, seen, check_mode=False)
    assert steps(planned) == [("DeleteCertificate", "b"), ("DeleteCertificate", "a")]
    assert [note.split()[1] for note in planned.notes] == [SHOP.arn]


@pytest.mark.parametrize("seen", [State(), State(NEW, CHAIN)])
def test_a_predicted_fingerprint_is_accepted_in_check_mode_only(seen):
    desired = dataclasses.replace(DESIRED, fingerprint=KNOWN_AFTER_APPLY)
    message = r"^fingerprint: .* is not allowed: this value is valid only in check mode\. Allowed: the fingerprint of the certificate in the secret\.$"
    with pytest.raises(Refused, match=message):
        plan(desired, seen, check_mode=False)
    assert steps(plan(desired, seen, check_mode=True)) == [("ImportCertificate", "")]


@pytest.mark.parametrize(
    ("found", "arn"),
    [
        ((), KNOWN_AFTER_APPLY),
        ((SHOP,), KNOWN_AFTER_APPLY),
        ((SHOP, imported("old", ENDPOINT), imported("more")), ARN + "old"),
        ((imported("used", BALANCER), imported("b", tags={})), ARN + "b"),
    ],
)
@pytest.mark.parametrize("fingerprint", [None, KNOWN_AFTER_APPLY])
def test_check_mode_predicts_the_certificate_that_is_kept(found, arn, fingerprint):
    before = State(NEW, CHAIN, found, "", (OWN,))
    after = plan(dataclasses.replace(DESIRED, fingerprint=fingerprint), before, check_mode=True).after(before)
    certificate = result(after)["client_vpn_certificate"]
    assert (certificate["certificate_arn"], certificate["fingerprint"]) == (arn, fingerprint or NEW.fingerprint)
    assert certificate["tags"] == TAGS


def test_check_mode_predicts_the_removal():
    before = State(imported=(SHOP, imported("a")), recorded=ARN + "a", authorities=(OWN,))
    after = plan(ABSENT, before, check_mode=True).after(before)
    assert (after.imported, result(after)) == ((SHOP,), {"client_vpn_certificate": None})
