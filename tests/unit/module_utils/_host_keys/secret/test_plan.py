# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import Desired, HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.plan import (
    CREATE,
    DELETE,
    PUBLISH,
    UNPUBLISH,
    plan_absent,
    plan_present,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.result import result
from simulated.host_keys import ARN, DESIRED, ELSEWHERE, KEYS, OTHER, OURS, SECRET_ARN


def operations(plan):
    return [step.operation for step in plan.steps]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), [CREATE, PUBLISH]),
        (HostKeys(published=OTHER), [CREATE, PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS), [PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=OTHER), [PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=KEYS), []),
    ],
)
def test_present_creates_what_is_missing(seen, expected):
    assert operations(plan_present(DESIRED, seen)) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), [PUBLISH]),
        (HostKeys(published=OTHER), [PUBLISH]),
        (HostKeys(published=KEYS), []),
    ],
)
def test_given_public_keys_are_only_published(seen, expected):
    plan = plan_present(ELSEWHERE, seen)
    assert operations(plan) == expected
    assert result(ELSEWHERE, plan.after(seen)) == {
        "host_keys": [key.to_result() for key in KEYS],
        "next_host_keys": [],
        "previous_host_keys": [],
        "rotation": None,
        "secret": {"name": None, "arn": None},
        "parameter": "/mlfleet/hyperpod/abc123def456/host-keys",
    }


def test_absent_with_given_public_keys_leaves_secrets_alone():
    assert operations(plan_absent(ELSEWHERE, HostKeys(published=KEYS))) == [UNPUBLISH]


def test_new_keys_are_unknown_in_the_prediction():
    plan = plan_present(DESIRED, HostKeys())
    assert result(DESIRED, plan.after(HostKeys())) == {
        "host_keys": [{"type": "ed25519", "public_key": KNOWN_AFTER_APPLY, "fingerprint": KNOWN_AFTER_APPLY}],
        "next_host_keys": [],
        "previous_host_keys": [],
        "rotation": None,
        "secret": {"name": "mlfleet/hyperpod/abc123def456/ssh-host-keys", "arn": KNOWN_AFTER_APPLY},
        "parameter": "/mlfleet/hyperpod/abc123def456/host-keys",
    }


def test_a_missing_type_is_reported_and_not_added():
    seen = HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=KEYS)
    plan = plan_present(Desired.for_cluster(ARN), seen)
    assert not plan
    assert plan.notes == (f"Secret {DESIRED.secret_name} has no key of type ecdsa, rsa.",)


def test_a_secret_scheduled_for_deletion_is_refused_with_the_restore_command():
    seen = HostKeys(secret_arn=SECRET_ARN, deleted="2026-12-21")
    with pytest.raises(Refused, match=f"restore-secret --secret-id {DESIRED.secret_name}"):
        plan_present(DESIRED, seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), []),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS, published=KEYS), [DELETE, UNPUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS), [DELETE]),
        (HostKeys(secret_arn=SECRET_ARN, tags=OURS, deleted="2026-12-21"), []),
        (HostKeys(published=KEYS), [UNPUBLISH]),
    ],
)
def test_absent_deletes_the_secret_and_the_parameter(seen, expected):
    plan = plan_absent(DESIRED, seen)
    assert operations(plan) == expected
    left = result(DESIRED, plan.after(seen))
    assert (left["host_keys"], left["secret"]["arn"]) == ([], None)


@pytest.mark.parametrize("tags", [{}, {"mlfleet.hyperpod/cluster": ARN.text.replace("abc", "xyz")}])
def test_a_secret_of_others_is_not_deleted(tags):
    with pytest.raises(Refused, match="did not create it for this cluster"):
        plan_absent(DESIRED, HostKeys(secret_arn=SECRET_ARN, tags=tags, published=KEYS))
