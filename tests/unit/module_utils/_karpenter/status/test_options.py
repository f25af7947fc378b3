# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of karpenter_info as a desired state."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.status.options import desired
from karpenter_objects import ARN


def given(**more: t.Any) -> Desired:
    return desired({"cluster_arn": ARN, "wait_for": "none", "node_pools": None, "node_classes": None, **more})


def test_all_objects_are_selected_unless_some_are_named() -> None:
    assert given() == Desired(ARN, "none", None, None)
    assert given(wait_for="gone", node_pools=["b", "a.1"], node_classes=[]) == Desired(ARN, "gone", ("b", "a.1"), ())
