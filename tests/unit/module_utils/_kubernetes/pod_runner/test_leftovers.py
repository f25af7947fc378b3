# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leftovers are recognised by the API server's clock only."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.leftovers import (
    left_behind,
    of_other_runs,
    stuck,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.mark import Mark

from ..._accelerators.kubernetes.jobs.looked_at import NOW, config_map


@pytest.mark.parametrize(
    ("created", "needed", "left"),
    [
        ("2026-11-25T02:58:20Z", "100", False),
        ("2026-11-25T02:58:19Z", "100", True),
        ("2026-11-25T02:59:59Z", None, True),
        ("2026-11-25T02:59:59Z", "for ever", True),
        ("2026-11-25T03:00:09Z", "100", False),
    ],
)
def test_objects_older_than_their_run_are_left_over(created: str, needed: str | None, left: bool) -> None:
    _path, item = config_map("a", created, needed)
    assert left_behind([item], NOW) == (["a"] if left else [])


def test_only_our_objects_of_other_runs_are_left_over() -> None:
    mark = Mark("a/b", "run")
    theirs = {"name": "theirs", "labels": {"a/b": "x"}}
    items = [mark.metadata("own"), Mark("a/b", "old").metadata("old"), theirs, {"name": "plain"}]
    assert of_other_runs([{"metadata": each} for each in items], mark) == ["old"]


@pytest.mark.parametrize(("since", "expected"), [(None, {}), ("2026-11-25T02:58:30Z", {}), ("2026-11-25T02:58:29Z", {"n": "a"})])
def test_pods_past_their_deadline_are_left_over(since: str | None, expected: dict[str, str]) -> None:
    meta: dict[str, t.Any] = {"name": "a", **({"deletionTimestamp": since} if since else {})}
    assert stuck([{"metadata": meta, "spec": {"nodeName": "n"}}, {"metadata": meta, "spec": {}}], NOW) == expected
