# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired device plugins for tests."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import Desired

from .cluster import TYPE

DEFAULTS: dict[str, t.Any] = {
    "state": "present",
    "gpu_instance_types": [TYPE],
    "efa_instance_types": [TYPE],
    "nvidia_image": None,
    "efa_image": None,
    "tolerations": [{"key": None, "operator": "Exists", "value": None, "effect": None}],
}


def desired(region: str | None = "us-west-2", **given: t.Any) -> Desired:
    return options.desired({**DEFAULTS, **given}, region)
