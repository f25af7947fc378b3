# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from lab.keda.operator import replicas

SPEC = {
    "minReplicaCount": 0,
    "maxReplicaCount": 4,
    "triggers": [{"type": "aws-sqs-queue", "metadata": {"queueLength": "5"}}, {"type": "prometheus", "metadata": {"threshold": "10"}}],
}


@pytest.mark.parametrize(
    ("figure", "current", "cooled", "wanted"),
    [(1, 0, True, 1), (5, 1, False, 1), (6, 1, False, 2), (100, 2, False, 4), (1, 4, False, 1), (0, 3, False, 3), (0, 3, True, 0)],
)
def test_replicas_follow_the_metric(figure: float, current: int, cooled: bool, wanted: int) -> None:
    assert replicas(SPEC, figure, current, cooled=cooled) == wanted


def test_the_minimum_number_of_replicas_is_kept() -> None:
    spec = {**SPEC, "minReplicaCount": 2}
    assert [replicas(spec, figure, 0, cooled=cooled) for figure, cooled in ((0, True), (0, False), (1, False))] == [2, 2, 2]
