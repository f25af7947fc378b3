# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``nccl_jobs``. It is the result of ``nccl_test`` with instance IDs instead of addresses."""

from __future__ import annotations

import typing as t

from ...node.nccl.model import Outcome
from ...node.nccl.result import result as of_test
from .model import Desired


def result(desired: Desired, outcome: Outcome) -> dict[str, t.Any]:
    found = of_test(desired.test, outcome)
    test = {name: value for name, value in found["nccl_test"].items() if name != "addresses"}
    return {**found, "nccl_test": {**test, "instance_ids": list(desired.test.addresses)}}
