# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training job from its options."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.options import SPEC, desired as checked

IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
REQUIRED = {"nodes": ["a", "b"], "gpus": 8, "image": IMAGE, "program": "print(1)\n"}
RUN = "0a1b2c3d"


def desired(**given: t.Any) -> Desired:
    """:raises Refused:"""
    return checked({**{name: each.get("default") for name, each in SPEC.items()}, **REQUIRED, **given})
