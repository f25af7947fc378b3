# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of the PKI as a table, without AWS and without a clock."""

from __future__ import annotations

import dataclasses
import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Kept
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.identity import identity_tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import (
    contents as pki_contents,
    crypto as pki_crypto,
    people as pki_people,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.model import (
    Authority,
    Desired,
    Person,
    Server,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.revocation import entries_after
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki.values import Issued, Revoked, iso
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

VPC = "vpc-0123456789abcdef0"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
TAGS = identity_tags(VPC)
DESIRED = Desired(VPC, "p", "server.vpn.example.com", NOW, tags=TAGS)
MADE = pki_crypto.make_authority("example", days=3650, now=NOW)
SIGNER = pki_crypto.Signer(MADE.certificate, MADE.private_key)
OWN = Authority(Kept("p/authority", TAGS), MADE.certificate, True, SIGNER.crl((), number=1, days=365, now=NOW))
SERVER = Server(
    Kept("p/server", TAGS), SIGNER.server("server.vpn.example.com", days=397, now=NOW).certificate, MADE.certificate.pem
)


def person(name, days=365, **changes):
    own = SIGNER.person(name, days=days, now=NOW).certificate
    tags = {**TAGS, **pki_people.person_tags(own, MADE.certificate)}
    return dataclasses.replace(Person(name, Kept(f"p/people/{name}", tags), own), **changes)


def steps(wanted, seen):
    return [step.operation for step in plan(wanted, seen).steps]


def desired_with(**changes):
    return dataclasses.replace(DESIRED, **changes)


ALICE, MALLORY = person("alice"), person("mallory")
BEFORE = State(OWN, SERVER, {"alice": ALICE, "mallory": MALLORY})
"""The state of clusters from before the ledger existed."""


def issued(*people):
    return tuple(Issued(each.name, each.serial, each.not_after) for each in people)


PLACE = dataclasses.replace(BEFORE, authority=dataclasses.replace(OWN, issued=issued(ALICE, MALLORY)))


@pytest.mark.parametrize(
    ("wanted", "seen", "expected"),
    [
        (DESIRED, State(), ["MakeAuthority", "MakeServer"]),
        (desired_with(people=("alice",)), State(), ["MakeAuthority", "MakeServer", "MakePerson"]),
        (desired_with(people=("alice",)), PLACE, []),
        (desired_with(people=("bob",), revoked=("mallory",)), PLACE, ["SignCrl", "ForgetPerson", "IssueCertificates", "MakePerson"]),
        (desired_with(revoked=("zoe",)), PLACE, []),
        (DESIRED, BEFORE, ["RecordIssued"]),
        (desired_with(revoked=("mallory",)), BEFORE, ["RecordIssued", "SignCrl", "ForgetPerson"]),
        (desired_with(revoked=("mallory",)), dataclasses.replace(PLACE, people={"alice": ALICE}), ["SignCrl"]),
        (desired_with(people=("alice",), lost=("alice",)), PLACE, ["SignCrl", "IssueCertificates", "RenewPerson"]),
        (
            desired_with(people=("alice",), lost=("alice",)),
            dataclasses.replace(PLACE, people={}),
            ["SignCrl", "IssueCertificates", "MakePerson"],
        ),
        (desired_with(now=NOW + 340 * DAY), PLACE, ["SignCrl"]),
        (desired_with(now=NOW + 340 * DAY, people=("alice",)), PLACE, ["SignCrl", "IssueCertificates", "RenewPerson"]),
        (desired_with(now=NOW + 380 * DAY), PLACE, ["SignCrl", "RenewServer"]),
        (desired_with(server_name="server.other.example.com"), PLACE, ["RenewServer"]),
        (desired_with(tags={**TAGS, "team": "x"}), PLACE, ["TagResource", "TagResource"]),
    ],
)
def test_the_plan_has_the_expected_steps(wanted, seen, expected):
    assert steps(wanted, seen) == expected


def test_the_predicted_state_needs_no_change():
    after = plan(desired_with(people=("alice",), revoked=("mallory",)), PLACE).after(PLACE)
    assert sorted(after.people) == ["alice"]
    assert [each.serial for each in after.authority.revoked] == [MALLORY.serial]


def test_expired_certificates_leave_the_list_when_it_is_signed_again():
    gone = Revoked("ab", "eve", iso(NOW), iso(NOW - DAY))
    authority = dataclasses.replace(OWN, revoked=(gone,))
    after = entries_after(desired_with(revoked=("mallory",)), authority, [MALLORY])
    assert [each.name for each in after] == ["mallory"]


def test_a_certificate_without_a_known_expiry_is_listed():
    authority = dataclasses.replace(OWN, issued=(Issued("mallory", "ab", "soon"), Issued("alice", "cd", "soon")))
    assert [each.serial for each in entries_after(desired_with(revoked=("mallory",)), authority, [])] == ["ab"]


@pytest.mark.parametrize("tag", ["zz", ALICE.serial, ""], ids=["another", "own", "none"])
def test_revocations_do_not_depend_on_tags(tag):
    kept = dataclasses.replace(MALLORY.kept, tags={**MALLORY.kept.tags, "mlfleet.hyperpod/serial": tag})
    mallory = dataclasses.replace(MALLORY, kept=kept)
    for authority in (OWN, PLACE.authority):
        entries = entries_after(desired_with(revoked=("mallory",)), authority, [mallory])
        assert SIGNER.crl(entries, number=2, days=9, now=NOW).serials == (MALLORY.serial,)


def test_a_secret_can_revoke_its_own_certificates_only():
    """Write access to one secret does not allow revoking other people, neither by certificate nor by a noted serial."""
    revoking = desired_with(revoked=("mallory",))
    forged = dataclasses.replace(MALLORY, certificate=ALICE.certificate)
    assert entries_after(revoking, OWN, [forged]) == ()
    noted = dataclasses.replace(MALLORY, earlier=((ALICE.serial, ALICE.not_after), ("zz", iso(NOW + DAY)), ("ef", "")))
    state = dataclasses.replace(BEFORE, people={"alice": ALICE, "mallory": noted})
    after = plan(revoking, state).after(state)
    assert {each.serial for each in after.authority.revoked} == {MALLORY.serial, "ef"}
    assert after.authority.issued == issued(ALICE)


def test_people_without_a_certificate_to_revoke_are_named():
    desired = desired_with(revoked=("mallory", "zoe"))
    assert result(desired, plan(desired, PLACE).after(PLACE))["client_vpn_pki"]["nothing_to_revoke"] == ["zoe"]


@pytest.mark.parametrize(
    ("wanted", "seen", "words"),
    [
        (desired_with(now=NOW + 3651 * DAY), PLACE, "The authority in secret p/authority expired at"),
        (
            desired_with(authority=pki_crypto.make_authority("x", days=9, now=NOW).certificate),
            PLACE,
            f"authority.certificate: .* a different authority would .* Allowed: {MADE.certificate.fingerprint}, or",
        ),
        (desired_with(authority=MADE.certificate), State(), "authority.private_key: None is not allowed: secret p/authority needs a signature"),
        (
            desired_with(people=("bob",)),
            State(dataclasses.replace(OWN, has_key=False), SERVER),
            "authority.private_key: None .* certificate of bob needs a signature",
        ),
    ],
)
def test_invalid_requests_are_refused(wanted, seen, words):
    with pytest.raises(Refused, match=words):
        plan(wanted, seen)


def test_a_list_larger_than_a_secret_is_refused():
    entries = [Revoked("ab" * 20, "alice", iso(NOW), iso(NOW)) for _each in range(500)]
    with pytest.raises(Refused, match="0 issued and 500 revoked certificates .* only 65536 bytes are available in the authority's secret"):
        pki_contents.authority_text(MADE.certificate.pem, MADE.private_key, OWN.crl, entries)


def test_no_output_contains_a_private_key():
    assert "PRIVATE" not in repr(MADE) + repr(SIGNER) + repr(PLACE)
    with pytest.raises(pki_crypto.NotReadable) as error:
        pki_crypto.Signer(MADE.certificate, MADE.private_key[:200])
    assert MADE.private_key[100:150] not in str(error.value)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"dns_names": ()}, "its name is server.vpn.example.com"),
        ({"common_name": "old"}, "its name is old"),
        ({"not_after": iso(NOW + DAY)}, f"it expires at {iso(NOW + DAY)}"),
    ],
)
def test_a_server_certificate_that_clients_would_refuse_is_renewed(changed, reason):
    server = dataclasses.replace(SERVER, certificate=dataclasses.replace(SERVER.certificate, **changed))
    planned = plan(DESIRED, dataclasses.replace(PLACE, server=server))
    assert [(step.operation, step.changes[0].field) for step in planned.steps] == [("RenewServer", f"server certificate ({reason})")]


def test_a_deleted_secret_is_not_deleted_again():
    """Nor is it listed as existing."""
    gone = {name: dataclasses.replace(each, kept=dataclasses.replace(each.kept, deleted="2026-11-20")) for name, each in PLACE.people.items()}
    untagged = dataclasses.replace(ALICE, kept=Kept("p/people/carol", {}))
    absent, state = desired_with(state="absent"), State(people={**gone, "carol": untagged})
    planned = plan(absent, state)
    assert (planned.steps, result(absent, state)["client_vpn_pki"]["people"]) == ((), [])
    (note,) = planned.notes
    assert note.startswith("Secret p/people/carol has no tag ") and plan(absent, PLACE).after(PLACE) == State()


def test_check_mode_predicts_tags_and_restored_secrets():
    deleted = dataclasses.replace(ALICE, kept=dataclasses.replace(ALICE.kept, deleted="2026-11-20"))
    state, desired = dataclasses.replace(PLACE, people={"alice": deleted}), desired_with(people=("alice",), tags={**TAGS, "team": "x"})
    after = plan(desired, state).after(state)
    assert (after.server.kept.tags["team"], after.people["alice"].kept.deleted) == ("x", "")
    rows = result(desired, after)["client_vpn_pki"]["people"]
    assert [(row["name"], row["state"]) for row in rows] == [("alice", "valid"), ("mallory", "issued")]
