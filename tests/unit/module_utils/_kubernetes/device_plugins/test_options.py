# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the module's options to the desired plugins, and the refusals."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.options import MOST_TYPES

from .cluster import IMAGE, OTHER_TYPE, TYPE
from .wanted import desired

DIGEST = "@sha256:" + "0" * 64


def toleration(**given: t.Any) -> dict[str, t.Any]:
    return {"key": None, "operator": "Equal", "value": None, "effect": None, **given}


def test_the_plugins_have_default_images_and_tolerate_everything() -> None:
    found = desired(gpu_instance_types=[TYPE, OTHER_TYPE])
    assert [(each.plugin.key, each.instance_types, each.image) for each in found.wanted] == [
        ("nvidia", (OTHER_TYPE, TYPE), IMAGE),
        ("efa", (TYPE,), "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20"),
    ]
    assert found.tolerations == ({"operator": "Exists"},) and found.present


def test_an_omitted_list_leaves_its_plugin_alone() -> None:
    assert [each.plugin.key for each in desired(efa_instance_types=None).wanted] == ["nvidia"]
    assert [each.plugin.key for each in desired(gpu_instance_types=None).wanted] == ["efa"]


@pytest.mark.parametrize("given", [{"state": "absent"}, {"gpu_instance_types": [], "efa_instance_types": []}])
def test_nothing_is_wanted(given: t.Any) -> None:
    found = desired(region=None, **given)
    assert [(each.plugin.key, each.instance_types) for each in found.wanted] == [("nvidia", ()), ("efa", ())] and not found.present


def test_absent_needs_no_other_option() -> None:
    assert len(desired(state="absent", gpu_instance_types=None, efa_instance_types=None).wanted) == 2


@pytest.mark.parametrize("image", [f"mirror.example.com:5000/nvidia/plugin{DIGEST}", f"plugin:latest{DIGEST}", "a/b:v1"])
def test_an_image_is_used_as_given(image: str) -> None:
    found = desired(region=None, nvidia_image=image, efa_image=image)
    assert [each.image for each in found.wanted] == [image, image]


def test_tolerations_have_only_the_given_fields() -> None:
    given = [toleration(key="a", value="b", effect="NoSchedule"), toleration(key="c"), toleration(operator="Exists", effect="NoExecute")]
    assert desired(tolerations=given).tolerations == (
        {"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "operator": "Equal"},
        {"operator": "Exists", "effect": "NoExecute"},
    )
    assert desired(tolerations=[]).tolerations == ()


MANY = [f"p{place}.large" for place in range(MOST_TYPES + 1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gpu_instance_types": ["big"]}, "gpu_instance_types: 'big' is not allowed. Allowed: an instance type such as ml.p5.48xlarge"),
        ({"efa_instance_types": ["P5.48xlarge"]}, "efa_instance_types: 'P5.48xlarge' is not allowed"),
        ({"gpu_instance_types": [TYPE, TYPE]}, "gpu_instance_types: 'p5.48xlarge' is not allowed: it is given more than once"),
        ({"gpu_instance_types": MANY}, "gpu_instance_types: '201 instance types' is not allowed. Allowed: at most 200."),
        ({"gpu_instance_types": ["x"], "state": "absent"}, "gpu_instance_types: 'x' is not allowed"),
        ({"gpu_instance_types": None, "efa_instance_types": None}, "gpu_instance_types or efa_instance_types: missing; state=present requires"),
        ({"nvidia_image": "Not an image"}, "nvidia_image: 'Not an image' is not allowed. Allowed: an image such as"),
        ({"nvidia_image": "nvidia/plugin"}, "nvidia_image: 'nvidia/plugin' is not allowed. Allowed: an image with a tag other than latest"),
        ({"nvidia_image": "a.example.com:5000/plugin"}, "nvidia_image: 'a.example.com:5000/plugin' is not allowed"),
        ({"efa_image": "efa:latest"}, "efa_image: 'efa:latest' is not allowed. Allowed: an image with a tag other than latest, or with a digest."),
        ({"region": None}, "efa_image: missing; no Region is set"),
        ({"tolerations": [toleration()]}, "tolerations[0].key: missing; the operator Equal requires it."),
        (
            {"tolerations": [toleration(key="a"), toleration(key="a", operator="Exists", value="b")]},
            "tolerations[1].value: 'b' is not allowed. Allowed: no value with the operator Exists.",
        ),
    ],
)
def test_refusals(given: t.Any, message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired(**given)
    assert str(refused.value).startswith(message)
