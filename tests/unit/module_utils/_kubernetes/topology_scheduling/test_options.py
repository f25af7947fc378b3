# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of topology-aware scheduling."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.options import desired


def wanted(**given: t.Any) -> Desired:
    return desired({"state": "enabled", "kueue_version": None, "wait_timeout": 300, "poll_interval": 5, **given})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Desired(True)),
        ({"state": "disabled"}, Desired(False)),
        ({"kueue_version": "0.19.2"}, Desired(True, (0, 19, 2))),
        ({"kueue_version": "v1.2.10", "state": "disabled"}, Desired(False, (1, 2, 10))),
        *(({"wait_timeout": each}, Desired(True)) for each in (10, 3600)),
        *(({"poll_interval": each}, Desired(True)) for each in (1, 60)),
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any], expected: Desired) -> None:
    assert wanted(**given) == expected


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"kueue_version": "0.19"}, "kueue_version"),
        ({"kueue_version": "0.19.2-eksbuild.1"}, "kueue_version"),
        ({"kueue_version": ""}, "kueue_version"),
        *(({"wait_timeout": each}, "wait_timeout") for each in (9, 3601)),
        *(({"poll_interval": each}, "poll_interval") for each in (0, 61)),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: ") as refused:
        wanted(**given)
    assert refused.value.option == option
