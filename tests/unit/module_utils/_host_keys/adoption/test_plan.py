# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.plan import needs_private_keys, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.adoption.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import HostKeys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.plan import CREATE, PUBLISH
from simulated import host_keys as one
from simulated.host_keys import KEYS, OTHER, SECRET_ARN

DESIRED = Desired(secret=one.DESIRED, keys=KEYS, text=None)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (HostKeys(), [CREATE, PUBLISH]),
        (HostKeys(published=OTHER), [CREATE, PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS), [PUBLISH]),
        (HostKeys(secret_arn=SECRET_ARN, keys=KEYS, published=KEYS), []),
    ],
)
def test_existing_keys_are_adopted_and_a_partial_adoption_is_resumed(seen, expected):
    planned = plan(DESIRED, seen)
    assert [step.operation for step in planned.steps] == expected
    after = result(DESIRED, planned.after(seen))
    assert after["host_keys"] == [key.to_result() for key in KEYS]
    assert after["secret"]["arn"] == (seen.secret_arn or KNOWN_AFTER_APPLY)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (HostKeys(secret_arn=SECRET_ARN, keys=OTHER, published=OTHER), "contains different keys"),
        (HostKeys(secret_arn=SECRET_ARN, deleted="2026-12-21"), "scheduled for deletion"),
    ],
)
def test_a_secret_with_other_keys_is_refused(seen, reason):
    with pytest.raises(Refused, match=reason):
        plan(DESIRED, seen)


def test_private_keys_are_read_only_if_they_are_needed():
    bare, held = HostKeys(), HostKeys(secret_arn=SECRET_ARN, keys=KEYS)
    assert needs_private_keys(DESIRED, plan(DESIRED, bare))
    assert not needs_private_keys(DESIRED, plan(DESIRED, held))
    given = Desired(secret=one.DESIRED, keys=KEYS, text=one.TEXT)
    assert not needs_private_keys(given, plan(given, bare))
