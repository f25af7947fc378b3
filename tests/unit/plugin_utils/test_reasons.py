# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons of failed tasks; tests/unit/edges covers the same with real runs."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import failure_reason, reasons_of

ERROR = {"code": "AccessDenied", "message": "You\x1b may not."}
GONE = {"msg": "Unable: Failed to authorize security group ingress", "boto3_version": "1"}


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"msg": "no"}, "no"),
        ({}, "no message"),
        ("text", "no message"),
        ({"censored": "the output has been hidden", "changed": False}, "the reason is hidden by no_log; ansible-playbook printed it above as [ERROR]"),
        ({"msg": "no", "censored": "the output has been hidden"}, "no"),
        ({"msg": "Failed", "error": ERROR}, "Failed (AccessDenied: You? may not.)"),
        ({"msg": "An error occurred (AccessDenied)", "error": ERROR}, "An error occurred (AccessDenied)"),
        ({"msg": "no", "error": {"code": ""}}, "no"),
        ({"msg": "no", "error": ["x"]}, "no"),
        ({"msg": "m", "results": [{"failed": True, "msg": "a"}, {"msg": "b"}, {"failed": True, "msg": "c"}]}, "a; c"),
        ({"msg": "m", "results": [{"failed": True, "msg": "a\nb"}, {"failed": True, "msg": "a b"}]}, "a b"),
        ({"msg": "m", "results": "text"}, "m"),
        ({**GONE, "boto3_version": None, "error": ERROR}, f"{GONE['msg']} (AccessDenied: You? may not.)"),
    ],
)
def test_the_reason_of_a_failure_is_found(result, reason):
    assert failure_reason(result) == reason


def test_a_reason_without_details_explains_how_to_get_them():
    assert "ANSIBLE_DISPLAY_TRACEBACK=error" in failure_reason(GONE)
    assert failure_reason({"msg": GONE["msg"]}) == GONE["msg"]


def test_items_reported_to_the_callback_take_precedence():
    assert reasons_of({"msg": "m", "results": [{"msg": "a"}, {"msg": "b"}]}, [{"msg": "b"}]) == ["b"]
