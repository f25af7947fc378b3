# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections of each subject. A missing value is never a zero, and never good."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.page import subjects

from .conftest import text_of

TEXTS = {
    subjects.health: ["unfit-replace unfit-reboot", "(2 h before this report)", "none not known not known", "? no real run of verify is known"],
    subjects.topology: ["4 2 0 0 1 of 1 layer 1: 4 of 4; layer 2: 2 of 4", "none not known not known"],
    subjects.quotas: [
        "research 2 instances of ml.p5.48xlarge 24 of 16 nvidia.com/gpu in ml.p5.48xlarge (8 borrowed) 1 3",
        "tests disabled: nothing nothing not known 0",
        "vision 2 instances of ml.p5.48xlarge ? could not be read: GET was answered with 403 not known not known",
        "late 2 instances of ml.p5.48xlarge ? HyperPod has not created the queue of the team not known not known",
    ],
    subjects.cost: ["2 6.12 USD none 1"],
    subjects.drift: ["W differs from the declaration, 2 changes", "? never run"],
}


@pytest.mark.parametrize(("make", "texts"), TEXTS.items(), ids=[each.__name__ for each in TEXTS])
def test_sections(made: dict[str, t.Any], make: t.Callable[..., t.Any], texts: list[str]) -> None:
    found = text_of(make(made).markup)
    assert [each for each in texts if each not in found] == [], found


@pytest.mark.parametrize("make", TEXTS, ids=[each.__name__ for each in TEXTS])
def test_an_unknown_cluster_has_no_good_mark(made: dict[str, t.Any], make: t.Callable[..., t.Any]) -> None:
    found = make({**made, "clusters": {key: {**made["clusters"][key], "orchestrator": kind} for key, kind in (("broken", "slurm"), ("none", "eks"))}})
    assert 'data-v="unknown"' in found.markup and 'data-v="good"' not in found.markup


@pytest.mark.parametrize(
    ("name", "make"),
    [("health", subjects.health), ("topology", subjects.topology), ("quotas", subjects.quotas), ("karpenter", subjects.cost)],
)
def test_old_and_doubtful_numbers_are_marked(made: dict[str, t.Any], name: str, make: t.Callable[..., t.Any]) -> None:
    found = copy.deepcopy(made)
    found["clusters"]["fine"][name] |= {"old": True, "why": "is not JSON"}
    assert "O old ? a later report is not JSON" in text_of(make(found).markup)
