# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import Claim
from simulated.locks import PATH, claim, locks

EXPIRED = "2026-11-21T11:59:59Z"


@pytest.mark.parametrize(
    ("generations", "holder"),
    [
        ([], None),
        ([(1, claim("a"))], 1),
        ([(1, claim("a", released=True))], None),
        ([(1, claim("a", expires=EXPIRED))], None),
        ([(1, claim("a")), (2, claim("b"))], 2),
        ([(1, claim("a")), (2, claim("b", released=True))], 1),
        ([(9, claim("a")), (10, claim("b"))], 10),
    ],
)
def test_the_holder_is_the_highest_valid_generation(generations, holder):
    found = locks(*generations).holder
    assert (found and found[0]) == holder


@pytest.mark.parametrize("text", ["", "[]", "{}", '"x"', claim().to_json().replace("2099", "year")])
def test_a_value_in_another_form_is_refused(text):
    with pytest.raises(Refused, match=f"Parameter {PATH}/1 is not a lock"):
        Claim.from_json(f"{PATH}/1", text)


def test_a_claim_can_be_read_back():
    assert Claim.from_json("name", claim().to_json()) == claim()
