# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of software updates."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster_software.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
IMAGE = "ami-0123456789abcdef0"
PARAMS: dict[str, t.Any] = {
    "cluster_arn": ARN,
    "instance_groups": [{"name": "a", "image_release_version": None}],
    "image_id": None,
    "deployment_config": None,
    "force": False,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def groups(**versions: str | None) -> dict[str, t.Any]:
    return {"instance_groups": [{"name": name, "image_release_version": version} for name, version in versions.items()]}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Desired(ARN, {"a": ""})),
        (groups(a="1.0.10", b=None), Desired(ARN, {"a": "1.0.10", "b": ""})),
        ({"image_id": IMAGE, "force": True}, Desired(ARN, {"a": ""}, image_id=IMAGE, force=True)),
        ({"image_id": "default"}, Desired(ARN, {"a": ""}, image_id="default")),
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any], expected: Desired) -> None:
    assert wanted(**given) == expected


REFUSED = [
    ({"instance_groups": []}, "instance_groups", "instance_groups: missing"),
    ({"instance_groups": groups(a=None)["instance_groups"] * 2}, "instance_groups", "given more than once"),
    (groups(a="1.0"), "instance_groups.a.image_release_version", "a version such as 1.2.3"),
    ({**groups(a="1.0.1"), "image_id": IMAGE}, "instance_groups.a.image_release_version", "no version together with image_id"),
    ({"image_id": "ami-x"}, "image_id", "an image ID such as"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
