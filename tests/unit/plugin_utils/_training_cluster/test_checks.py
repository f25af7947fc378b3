# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single values: the boundaries of what is valid. The messages are tested with the variables."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import checks

VALID: dict[str, tuple[str, ...]] = {
    "name": ("m", "9_-", "m" * 100),
    "version": ("1.30", "1.99"),
    "zone": ("us-west-2a", "us-gov-east-1b", "cn-north-1a", "ap-southeast-7c"),
    "subnet": ("subnet-01234567",),
    "reservation": ("cr-0123456789abcdef0",),
    "group": ("g", "9-_", "g" * 63),
    "placement group": ("a", "near gpus", "a" * 255),
    "add-on": ("vpc-cni",),
    "add-on version": ("default", "latest", "v1.2.3-eksbuild.4"),
    "boundary": ("arn:aws:iam::aws:policy/A", "arn:aws-us-gov:iam::111111111111:policy/path/limits"),
    "label": ("a", "A.b_c-9"),
}
INVALID: dict[str, tuple[t.Any, ...]] = {
    "name": ("", "_m", "m.l", "m" * 101, "m\n", None, 5, ["m"]),
    "version": ("1.3", "1.300", "2.10", "1.35.1", 1.35, "1.35\n"),
    "zone": ("us-west-2", "us-west-2-lax-1a", "a", "us-west-2aa"),
    "subnet": ("subnet-1", "vpc-0123456789abcdef0", "subnet-0123456789ABCDEF0"),
    "reservation": ("cr-", "cr-xxxxxxxxxx"),
    "group": ("-g", "g.h", "g" * 64),
    "placement group": (" a", "a ", "a" * 256, "a\n"),
    "add-on": ("-a", "a.b"),
    "add-on version": ("1.2.3", "newest"),
    "boundary": ("limits", "arn:aws:iam::111111111111:role/a"),
    "label": ("", "-a", "a" * 64, True),
}


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in VALID.items() for value in values])
def test_a_valid_text(kind: str, value: str) -> None:
    assert checks.check_text("option", value, kind) == value


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in INVALID.items() for value in values])
def test_an_invalid_text(kind: str, value: t.Any) -> None:
    with pytest.raises(Refused, match=r"^option: .* is not allowed\. Allowed: "):
        checks.check_text("option", value, kind)


@pytest.mark.parametrize("value", ["10.0.0.0/16", "10.0.0.0/22", "172.31.0.0/16", "192.168.0.0/20", "100.64.0.0/16"])
def test_a_private_network_of_a_valid_size(value: str) -> None:
    assert checks.check_vpc_network("option", value) == value


@pytest.mark.parametrize("value", ["10.0.0.0/15", "10.0.0.0/23", "172.32.0.0/16", "8.0.0.0/16", "fd00::/16", "text", None])
def test_another_network_is_refused(value: t.Any) -> None:
    with pytest.raises(Refused):
        checks.check_vpc_network("option", value)


def test_taints_have_eks_own_effects_and_no_empty_values() -> None:
    given = [{"key": "a/b", "value": "", "effect": "x"}, {"key": "a/b", "value": "c", "effect": "y"}]
    assert checks.check_taints("option", given, {"x": "NO_SCHEDULE", "y": "NO_EXECUTE"}) == [
        {"key": "a/b", "effect": "NO_SCHEDULE"},
        {"key": "a/b", "effect": "NO_EXECUTE", "value": "c"},
    ]


@pytest.mark.parametrize("key", ["team", "example.com/team", "nvidia.com/gpu", "k8s.amazonaws.com/accelerator", "node.kubernetes.io/pool"])
def test_labels_that_a_kubelet_may_set(key: str) -> None:
    assert checks.check_labels("option", {key: "a"}) == {key: "a"}


LONG = ("a" * 64, f"example.com/{'a' * 52}")


@pytest.mark.parametrize(
    "key", ["kubernetes.io/a", "node-role.kubernetes.io/a", "k8s.io/a", "eks.amazonaws.com/a", "a/b/c", *LONG, 5]
)
def test_labels_that_a_kubelet_must_not_set(key: t.Any) -> None:
    with pytest.raises(Refused):
        checks.check_labels("option", {key: "a"})


def test_numbers_in_tags_become_texts() -> None:
    assert checks.check_common_tags("option", {"cost": 42, "ratio": 0.5}) == {"cost": "42", "ratio": "0.5"}


def test_an_untrusted_name_in_a_path_is_printable_and_short() -> None:
    assert checks.path_inside("tags", "a\x1b[31m\u202eb") == "tags.a?[31m?b"
    assert checks.path_inside("tags", "x" * 500) == f"tags.{'x' * 100}"
