# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of an NCCL test."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.options import MOST_NODES, RANGES, desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

PARAMS: dict[str, t.Any] = {
    "addresses": ["10.0.0.1", "10.0.0.2"],
    "instance_type": "ml.p5.48xlarge",
    "gpus": 8,
    "bytes": 2**30,
    "program": "",
    "mpi": "pmix",
    "efa": True,
    "reference": None,
    "floor_percent": 65,
    "beside_jobs": False,
    "timeout": 600,
    "queue_timeout": 60,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_all_options_are_read() -> None:
    given = {
        "program": "/opt/test",
        "mpi": "pmi2",
        "efa": False,
        "reference": 400.5,
        "floor_percent": 50,
        "beside_jobs": True,
        "timeout": 700,
        "queue_timeout": 70,
    }
    found = wanted(**given, addresses=["10.0.0.2", "10.0.0.1", "10.0.0.2"])
    assert found == Desired(addresses=("10.0.0.2", "10.0.0.1"), instance_type="ml.p5.48xlarge", gpus=8, bytes=2**30, **given)
    assert wanted(bytes=None).bytes > 0


@pytest.mark.parametrize(("option", "value"), [(option, value) for option, values in RANGES.items() for value in values])
def test_the_ends_of_ranges_are_allowed(option: str, value: int) -> None:
    assert getattr(wanted(**{option: value}), option) == value


LIMITS = {"gpus": (1, 16), "bytes": (16777216, 137438953472), "floor_percent": (1, 100), "timeout": (60, 3600), "queue_timeout": (1, 3600)}
REFUSED = [
    *(
        ({option: value}, option, f"^{option}: {value} is not allowed. Allowed: {least} to {most}")
        for option, (least, most) in LIMITS.items()
        for value in (least - 1, most + 1)
    ),
    ({"reference": 0.0}, "reference", "GB/s above 0"),
    ({"reference": float("inf")}, "reference", "GB/s above 0"),
    ({"reference": float("nan")}, "reference", "GB/s above 0"),
    ({"reference": 1e6}, "reference", "GB/s above 0"),
    ({"program": "test"}, "program", "an absolute path"),
    ({"mpi": "a b"}, "mpi", "the name of a plugin"),
    ({"addresses": ["node"]}, "addresses", "node"),
    ({"addresses": []}, "addresses", "the test requires at least one node"),
    ({"addresses": [f"10.0.{turn // 256}.{turn % 256}" for turn in range(MOST_NODES + 1)]}, "addresses", f"at most {MOST_NODES}"),
    ({"addresses": ["10.0.0.1"], "gpus": 1}, "gpus", "has no peer to exchange data with"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
