# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of node groups."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.options import desired, require_known, specification

LATER = "(known after apply)"
ROLE = "arn:aws:iam::111111111111:role/nodes"
PARAMS: dict[str, t.Any] = {
    "eks_cluster": "pods",
    "name": "gpu",
    "state": "present",
    "force_update": False,
    "tags": None,
    "purge_tags": True,
    **dict.fromkeys(specification()),
}


def wanted(*, check_mode: bool = False, **given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2", check_mode=check_mode)


def test_omitted_options_are_left_alone() -> None:
    assert wanted() == Desired("pods", "gpu")


def test_given_options_are_read() -> None:
    given = {
        "node_role_arn": ROLE,
        "subnet_ids": ["subnet-01234567"],
        "instance_types": ["p5.48xlarge"],
        "ami_type": "AL2_x86_64_GPU",
        "capacity_type": "SPOT",
        "launch_template": {"id": "lt-01234567", "name": None, "version": "3"},
        "scaling": {"min": 0, "max": 1, "desired": None},
        "labels": {"example.com/team": 7},
        "taints": [{"key": "a", "value": None, "effect": "NO_SCHEDULE"}],
        "update_config": {"max_unavailable": 100, "max_unavailable_percentage": None, "strategy": None},
        "node_repair": {"enabled": True, "overrides": []},
        "version": "1.34",
        "release_version": "1.34.2-20261015",
    }
    found = wanted(state="absent", force_update=True, tags={"a": "b"}, purge_tags=False, **given)
    assert (found.present, found.force_update, found.tags, found.purge_tags) == (False, True, {"a": "b"}, False)
    assert found.settings == {
        **given,
        "launch_template": {"id": "lt-01234567", "version": "3"},
        "scaling": {"min": 0, "max": 1},
        "labels": {"example.com/team": "7"},
        "taints": [{"key": "a", "value": "", "effect": "NO_SCHEDULE"}],
        "update_config": {"max_unavailable": 100},
    }


def test_empty_values_are_kept() -> None:
    assert wanted(labels={}, taints=[]).settings == {"labels": {}, "taints": []}


RULE = {"condition": "a", "reason": "b", "min_repair_wait_minutes": 1, "action": "Reboot"}
REFUSED: list[tuple[dict[str, t.Any], str, str]] = [
    ({"name": "-a"}, "name", "1 to 63 letters"),
    ({"name": "a" * 64}, "name", "1 to 63 letters"),
    ({"subnet_ids": []}, "subnet_ids", "at least one value"),
    ({"subnet_ids": ["subnet-01234567"] * 2}, "subnet_ids", "given more than once"),
    ({"instance_types": []}, "instance_types", "at least one value"),
    ({"instance_types": ["m5.large"] * 2}, "instance_types", "given more than once"),
    ({"ami_type": "AL2023"}, "ami_type", "Allowed: AL2023_x86_64_STANDARD, .*, CUSTOM"),
    ({"ami_type": "CUSTOM", "version": "1.34"}, "version", "the launch template defines the version"),
    ({"ami_type": "CUSTOM", "release_version": "1"}, "release_version", "the launch template defines the version"),
    ({"launch_template": {}}, "launch_template", "missing id, name or version"),
    ({"launch_template": {"version": "1"}, "disk_size": 1}, "disk_size", "the launch template sets the size"),
    ({"launch_template": {"id": "lt-01234567", "name": "abc"}}, "launch_template.id", "either id or name"),
    ({"launch_template": {"version": "$Default"}}, "launch_template.version", "the number of a version"),
    ({"launch_template": {"version": "0"}}, "launch_template.version", "the number of a version"),
    ({"capacity_type": "CAPACITY_BLOCK", "instance_types": ["p5.48xlarge"]}, "instance_types", "for a Capacity Block"),
    ({"scaling": {"min": 3, "max": 2}}, "scaling.min", "at most scaling.max, 2"),
    ({"scaling": {"max": 0}}, "scaling.max", "1 or more"),
    ({"scaling": {"min": 3, "desired": 2}}, "scaling.desired", "3 or more"),
    ({"scaling": {"max": 1, "desired": 2}}, "scaling.desired", "at most 1"),
    ({"labels": {"a/b/c": "d"}}, "labels", "a key of at most 63 characters"),
    ({"labels": {"a" * 64: "d"}}, "labels", "a key of at most 63 characters"),
    ({"labels": {"a": "-"}}, "labels.a", "1 to 63 letters"),
    ({"taints": [{"effect": "NO_SCHEDULE"}]}, r"taints\[0\].key", "missing"),
    ({"taints": [{"key": f"example.com/{'a' * 60}", "effect": "NO_SCHEDULE"}]}, r"taints\[0\].key", "at most 63 characters"),
    ({"taints": [{"key": "a", "effect": "NO_SCHEDULE", "value": each} for each in ("b", "c")]}, "taints", "given more than once"),
    ({"update_config": {"max_unavailable": 1, "max_unavailable_percentage": 1}}, "update_config.max_unavailable", "either"),
    ({"node_repair": {"overrides": [{**RULE, "min_repair_wait_minutes": 0}]}}, r".*min_repair_wait_minutes", "1 or more"),
    ({"node_repair": {"overrides": [{**RULE, "action": None}]}}, r"node_repair.overrides\[0\].action", "missing"),
    ({"version": "2.0"}, "version", "a Kubernetes version such as 1.34"),
    ({"release_version": ""}, "release_version", "a release such as"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: .*{message}"):
        wanted(**given)


@pytest.mark.parametrize("template", [{"id": LATER, "version": LATER}, {"id": "lt-01234567", "version": LATER}, {"id": LATER, "version": "1"}])
def test_check_mode_accepts_a_predicted_template(template: dict[str, str]) -> None:
    assert wanted(check_mode=True, launch_template={**template, "name": None}).settings == {"launch_template": template}
    with pytest.raises(Refused, match=r"^launch_template\.(id|version): '\(known after apply\)' is not allowed"):
        wanted(launch_template={**template, "name": None})


def test_check_mode_validates_the_rest_of_a_predicted_template() -> None:
    with pytest.raises(Refused, match=r"^launch_template\.version: 'x' is not allowed"):
        wanted(check_mode=True, launch_template={"id": LATER, "version": "x"})


def test_limits_are_allowed() -> None:
    scaling = {"min": 2, "max": 2, "desired": 2}
    rule = {"node_repair": {"overrides": [RULE]}, "labels": {"a" * 63: "b" * 63}}
    assert wanted(scaling=scaling, **rule).settings == {"scaling": scaling, **rule}
    both = [{"key": "a", "value": "", "effect": each} for each in ("NO_SCHEDULE", "NO_EXECUTE")]
    assert wanted(taints=both).settings["taints"] == both


def test_an_old_botocore_is_refused(stubbed: t.Any) -> None:
    """A change of one repair setting sends all of them, so botocore must support all of them."""
    client, _stub = stubbed("eks")
    require_known(Api(client), wanted(node_repair={"enabled": True}))
    shape = client.meta.service_model.operation_model("CreateNodegroup").input_shape.members["nodeRepairConfig"]
    del shape.members["nodeRepairConfigOverrides"]
    require_known(Api(client), wanted(labels={}))
    with pytest.raises(Refused, match="does not support CreateNodegroup.nodeRepairConfig.nodeRepairConfigOverrides"):
        require_known(Api(client), wanted(node_repair={"enabled": True}))
