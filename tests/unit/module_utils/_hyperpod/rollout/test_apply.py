# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a record have tags, a retry after a lost reply succeeds, and a write is confirmed by reads."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import lock_subject

NAME = "/mlfleet/hyperpod/rollouts/keys/head"
CREATE = {
    "Name": NAME,
    "Type": "String",
    "Value": "{}",
    "Overwrite": False,
    "Tags": [
        {"Key": "mlfleet.hyperpod/cluster", "Value": "rollout/keys"},
        {"Key": "mlfleet.hyperpod/component", "Value": "rollout"},
    ],
}
OVERWRITE = {"Name": NAME, "Type": "String", "Value": "{}", "Overwrite": True}


def applied(stubbed: t.Any, *, exists: bool, answers: t.Sequence[tuple[str, dict[str, t.Any]]]) -> None:
    client, stubber = stubbed("ssm")
    for code, expected in answers:
        if code:
            stubber.add_client_error("put_parameter", code, expected_params=expected)
        else:
            stubber.add_response("put_parameter", {"Version": 1}, expected)
    applier = Applier(Parameters(Api(client)), lock_subject("keys", "us-west-2"))
    applier(Step("PutParameter", {"name": NAME, "text": "{}", "exists": exists}, ()))


def test_a_parameter_is_created_or_overwritten(stubbed: t.Any) -> None:
    applied(stubbed, exists=False, answers=[("", CREATE)])
    applied(stubbed, exists=True, answers=[("", OVERWRITE)])
    applied(stubbed, exists=False, answers=[("ParameterAlreadyExists", CREATE), ("", OVERWRITE)])


@pytest.mark.parametrize(
    ("reads", "words"),
    [
        ([2], ""),
        ([1, 1, 2], ""),
        ([3], ""),  # a later write of another call
        ([1] * 32, "Reads of the record of rollout keys still return older values after 30 s, so an early next call could run a wave again."),
        (["AccessDeniedException"], "The writes succeeded, but reads of the record of rollout keys could not be confirmed: GetParameter"),
    ],
)
def test_the_writer_waits_until_reads_return_its_write(stubbed: t.Any, reads: list[t.Any], words: str) -> None:
    client, stubber = stubbed("ssm")
    stubber.add_response("put_parameter", {"Version": 2}, OVERWRITE)
    for read in reads:
        if isinstance(read, str):
            stubber.add_client_error("get_parameter", read)
        else:
            stubber.add_response("get_parameter", {"Parameter": {"Name": NAME, "Version": read}}, {"Name": NAME})
    applier = Applier(Parameters(Api(client)), lock_subject("keys", "us-west-2"))
    applier(Step("PutParameter", {"name": NAME, "text": "{}", "exists": True}, ()))
    seconds = [0.0]

    def sleep(pause: float) -> None:
        seconds[0] += pause

    waits = Waits(timeout=30, interval=1, clock=Clock(now=lambda: seconds[0], sleep=sleep, jitter=lambda: 0.0))
    found = applier.seen("keys", waits=waits)
    assert found.startswith(words) and bool(found) is bool(words), found
    assert seconds[0] == {1: 0.0, 3: 1.5}.get(len(reads), 30.0)
