# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of a record have tags, and a retry after a lost reply succeeds."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
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
