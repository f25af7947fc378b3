# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the record is read: each parameter by its name, and never only a part of it."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Head, Member, Record, Wave
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.observe import Observer

TIME, PATH = "2026-11-30T12:00:00Z", "/mlfleet/hyperpod/rollouts/keys"
RECORD = Record(Head("reconcile", "v", "1.0.0", TIME, "ops", TIME, 2), (Wave({"a": Member("1")}), Wave({"b": Member("2")})))


def observed(stubbed: t.Any, **texts: str | None) -> Record | None:
    client, stubber = stubbed("ssm")
    for name, text in texts.items():
        path = f"{PATH}/{name.replace('_', '/')}"
        if text is None:
            stubber.add_client_error("get_parameter", "ParameterNotFound", expected_params={"Name": path})
        else:
            stubber.add_response("get_parameter", {"Parameter": {"Name": path, "Value": text}}, {"Name": path})
    return Observer(Parameters(Api(client)), "keys")()


def test_a_record_is_read_by_the_names_of_its_parameters(stubbed: t.Any) -> None:
    first, second = RECORD.waves
    assert observed(stubbed, head=RECORD.head.to_json(), waves_1=first.to_json(), waves_2=second.to_json()) == RECORD


def test_a_rollout_without_a_head_does_not_exist(stubbed: t.Any) -> None:
    assert observed(stubbed, head=None) is None


@pytest.mark.parametrize("text", [None, "{}"])
def test_a_missing_or_invalid_wave_is_not_ignored(stubbed: t.Any, text: str | None) -> None:
    with pytest.raises(Refused, match=f"Parameter {PATH}/waves/1 is not a valid record of a rollout"):
        observed(stubbed, head=RECORD.head.to_json(), waves_1=text)
