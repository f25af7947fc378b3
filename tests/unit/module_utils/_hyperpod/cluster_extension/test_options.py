# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of extensions."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_extension.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
PARAMS: dict[str, t.Any] = {"cluster_arn": ARN, "name": "a", "state": "present", "version": None, "configuration": None}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_valid_options_are_accepted() -> None:
    assert wanted() == Desired(ARN, "a", configuration={})
    given = {"version": "1.0.0", "configuration": {"a": 1}}
    assert wanted(**given, name="sagemaker-observability", state="absent") == Desired(ARN, "sagemaker-observability", present=False, **given)
    assert wanted(name="a" * 128, configuration={"a": "x" * 10231}).name == "a" * 128


REFUSED = [
    ({"name": "A"}, "name", "the name of an extension"),
    ({"name": "a" * 129}, "name", "the name of an extension"),
    ({"version": "1.0"}, "version", "a version such as 1.0.0"),
    ({"configuration": {"a": "x" * 10232}}, "configuration", "at most 10240 characters of JSON"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
