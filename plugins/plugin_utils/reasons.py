# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a task failed, from its result. All supported versions of ansible-core and all modules are covered. No I/O."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import why_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line

_SWALLOWED = re.compile(r"Failed to [a-z ]+$")
"""How a message of an amazon.aws module ends if the module drops AWS's error."""
_HIDDEN = "the reason is hidden by no_log; ansible-playbook printed it above as [ERROR]"
_HINT = "amazon.aws does not pass on AWS's error; ANSIBLE_DISPLAY_TRACEBACK=error shows it"


def items_of(result: t.Mapping[str, t.Any]) -> list[t.Mapping[str, t.Any]]:
    """The results of a loop's items, or the only result of a task without a loop."""
    items = result.get("results")
    return [each for each in items if isinstance(each, t.Mapping)] if items and isinstance(items, list) else [result]


def reasons_of(result: t.Mapping[str, t.Any], failed_items: t.Sequence[t.Mapping[str, t.Any]] = ()) -> list[str]:
    """The reasons, each as one printable line; see ``failures_of``."""
    return [each.text for each in failures_of(result, failed_items)]


def failures_of(result: t.Mapping[str, t.Any], failed_items: t.Sequence[t.Mapping[str, t.Any]] = ()) -> list[Finding]:
    """Findings about the reasons why a task failed.

    :param result: the result of the task. In ``ansible_failed_result``, the failed items of a loop have ``failed``.
    :param failed_items: the failed items of a loop as a callback received them. Since ansible-core 2.21, the result that a
        callback gets does not list them.
    """
    failed = failed_items or [item for item in items_of(result) if item.get("failed")] or [result]
    return list({found.text: found for found in (why_of(item, _reason(item)) for item in failed)}.values())


def failure_reason(result: t.Any) -> str:
    """The reasons in one line."""
    return "; ".join(reasons_of(result if isinstance(result, t.Mapping) else {}))


def _reason(result: t.Mapping[str, t.Any]) -> str:
    """The reason in one line. A module of amazon.aws may omit AWS's error from its message; another field may have it."""
    reason, error = one_line(result.get("msg") or _nothing(result)), result.get("error")
    if isinstance(error, t.Mapping) and error.get("code"):
        code = one_line(error["code"])
        return reason if code in reason else f"{reason} ({code}: {one_line(error.get('message') or 'no message')})"
    swallowed = "boto3_version" in result and _SWALLOWED.search(reason)
    return f"{reason} ({_HINT})" if swallowed else reason


def _nothing(result: t.Mapping[str, t.Any]) -> str:
    """The text for a result without a message."""
    return _HIDDEN if "censored" in result else "no message"
