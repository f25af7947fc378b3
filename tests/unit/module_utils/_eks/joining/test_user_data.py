# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data with which nodes do not find their cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import Template
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.user_data import user_data

from .seen import COMPLETE, Case, assert_found, config, data, seen

CASES: list[Case] = [
    ("an image without user data", {"template": Template("t", image="ami-1")}, ["has image ami-1 but no user data"], []),
    ("complete user data", data(config(COMPLETE), "ami-1"), [], []),
    ("no values", data(config("{}"), "ami-1"), ["lacks spec.cluster.name, spec.cluster.apiServerEndpoint"], []),
    ("EKS adds the values", data(config("{}")), [], []),
    ("another endpoint", data(config("{apiServerEndpoint: 'https://y'}")), ["spec.cluster.apiServerEndpoint https://y, which is not"], []),
    ("another authority", data(config("{certificateAuthority: other}")), ["has spec.cluster.certificateAuthority, which is not"], []),
    ("invalid YAML", data(config("{name: [")), ["a NodeConfig in the user data of launch template t is invalid: it is not YAML"], []),
    ("another kind", data(config("{}").replace("NodeConfig", "Node")), ["it must have apiVersion node.eks.aws/v1alpha1"], []),
    ("a program", data("#!/bin/sh\n"), ["is not a MIME message with several parts, which EKS requires"], []),
    ("a program for an image", data("#!/bin/sh\n", "ami-1"), [], ["which is not a MIME message"]),
    ("the program of AL2", data("#!/bin/sh\n/etc/eks/bootstrap.sh ml\n", "ami-1"), [], ["which is a program"]),
    ("AL2 for another cluster", data("#!/bin/sh\n/etc/eks/bootstrap.sh other\n", "ami-1"), ["without the name of the cluster, ml"], []),
    ("Bottlerocket", {**data("[settings]"), "ami_type": "BOTTLEROCKET_x86_64"}, [], ["which was not parsed"]),
]


@pytest.mark.parametrize(("changed", "causes", "unknown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_user_data(changed: dict[str, t.Any], causes: list[str], unknown: list[str]) -> None:
    assert_found(user_data(seen(changed)), causes, unknown)
