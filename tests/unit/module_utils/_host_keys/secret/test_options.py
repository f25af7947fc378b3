# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of host_key_secret."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.rotation import LONGEST_DAYS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.options import desired

RIGHT = {
    "cluster_arn": "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456",
    "purpose": "host_keys",
    "state": "present",
    "secret_name": None,
    "kms_key_id": None,
    "key_types": ["ed25519"],
    "recovery_window": 30,
    "minimum_days": LONGEST_DAYS,
    "force": False,
    "public_keys": None,
    "rotation": None,
}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"recovery_window": 6}, "recovery_window: 6 is not allowed. Allowed: 7 to 30 days."),
        ({"recovery_window": 31}, "recovery_window: 31 is not allowed. Allowed: 7 to 30 days."),
        ({"key_types": []}, "key_types: [] is not allowed. Allowed: at least one type."),
        ({"minimum_days": -1}, f"minimum_days: -1 is not allowed. Allowed: 0 to {LONGEST_DAYS} days."),
        ({"minimum_days": LONGEST_DAYS + 1}, f"minimum_days: {LONGEST_DAYS + 1} is not allowed."),
        ({"rotation": "start", "state": "absent"}, "rotation: 'start' is not allowed. Allowed: a rotation only with state=present."),
        ({"rotation": "start", "purpose": "host_ca"}, "rotation: 'start' is not allowed. Allowed: a rotation only with purpose=host_keys."),
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, t.Any], words: str) -> None:
    with pytest.raises(Refused) as caught:
        desired({**RIGHT, **wrong})
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("right", [{}, {"recovery_window": 7, "minimum_days": 0}, {"rotation": "start"}])
def test_valid_options_are_accepted(right: dict[str, t.Any]) -> None:
    found = desired({**RIGHT, **right})
    assert (found.rotation is None) == ("rotation" not in right) and found.key_types == ("ed25519",)


def test_a_host_ca_has_keys_of_one_type() -> None:
    assert desired({**RIGHT, "purpose": "host_ca", "key_types": ["rsa"]}).key_types == ("ed25519",)
