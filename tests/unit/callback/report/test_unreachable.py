# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unreachable nodes that the callback reports."""

from __future__ import annotations

import types
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.callback.report import CallbackModule

CHANGED_KEY = "Failed to connect to the host via ssh: Host key verification failed."


@pytest.mark.parametrize(
    "variables, msg, reported",
    [
        ({"hyperpod_reached_again": True}, CHANGED_KEY, False),
        ({}, CHANGED_KEY, True),
        ({"hyperpod_reached_again": True}, "Connection timed out", True),
        ({"hyperpod_reached_again": True}, None, True),
    ],
)
def test_a_refused_connection_does_not_count_if_it_is_retried(
    variables: dict[str, t.Any], msg: str | None, reported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CallbackModule, "get_option", lambda self, name: str(tmp_path))
    callback = CallbackModule()
    node = {"hyperpod_cluster_arn": "arn", "hyperpod_cluster_host": "ml", "hyperpod_instance_id": "i-1"}
    callback.v2_runner_on_unreachable(
        types.SimpleNamespace(
            host=types.SimpleNamespace(name="ml-i-1", vars=node),
            task=types.SimpleNamespace(get_vars=lambda: variables, delegate_to=None, action="ansible.builtin.ping"),
            result={"unreachable": True, **({} if msg is None else {"msg": msg})},
        )
    )
    clusters = callback.verdict.to_report()["clusters"]
    assert len(clusters.get("ml", {"findings": []})["findings"]) == reported
