# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets stay out of the control node's log and out of messages. tests/awx tests the rest with the real collection."""

from __future__ import annotations

import types
import typing as t

import pytest
from ansible import constants
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.controller import Controller

from .examples import VARIABLES

CONNECTION = {"awx_host": "https://awx.example.com", "awx_token": "", "awx_validate_certs": True}
HOOK = {"name": "chat", "notification_configuration": {"token": "very-secret", "port": 1}}


def controller(result: dict[str, t.Any], seen: dict[str, t.Any]) -> Controller:
    def execute(**options: t.Any) -> dict[str, t.Any]:
        seen.update(options)
        return result

    action: t.Any = types.SimpleNamespace(_execute_module=execute, _templar=types.SimpleNamespace(template=lambda value: value))
    return Controller(action, {**VARIABLES, **CONNECTION})


def test_a_module_does_not_log_its_options() -> None:
    """The module notification_template does not declare its configuration as secret."""
    seen: dict[str, t.Any] = {}
    controller({}, seen).write("notification_template", HOOK)
    assert constants.config.get_config_value("DEFAULT_NO_TARGET_SYSLOG", variables=seen["task_vars"]) is True
    assert seen["module_name"] == "awx.awx.notification_template"
    assert seen["module_args"] == {**HOOK, "controller_host": "https://awx.example.com", "validate_certs": True}


def test_a_message_does_not_quote_a_secret() -> None:
    refusal = {"failed": True, "msg": "Unable to create chat: 'very-secret' is not a valid token."}
    with pytest.raises(Failure) as error:
        controller(refusal, {}).write("notification_template", HOOK)
    assert "very-secret" not in str(error.value) and str(error.value).startswith("Unable to create chat: ")
