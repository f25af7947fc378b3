# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports the findings of a role, so that roles build no sentences in YAML."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, Finding, to_result, why
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import findings_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import NoText, in_words, of_texts

ARGUMENTS: dict[str, t.Any] = {
    "says": {"type": "str"},
    "code": {"type": "str"},
    "kind": {"type": "str", "choices": ["failure", "pending", "note"]},
    "values": {"type": "dict", "default": {}},
    "texts": {"type": "list", "elements": "str"},
    "findings": {"type": "list", "elements": "dict"},
    "that": {"type": "raw", "default": []},
    "fail": {"type": "bool", "default": True},
}


class ActionModule(ActionBase):
    """Runs on the control node, without a module."""

    _requires_connection = False

    @classmethod
    def finalize_task_arg(cls, name: str, value: t.Any, templar: t.Any, context: t.Any) -> t.Any:
        """Return the conditions in ``that`` unevaluated."""
        return value if name == "that" else super().finalize_task_arg(name, value, templar, context)

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        result = {**super().run(tmp, task_vars), "changed": False}
        _checked, given = self.validate_argument_spec(
            argument_spec=ARGUMENTS,
            mutually_exclusive=[("says", "texts", "findings")],
            required_one_of=[("says", "texts", "findings")],
            required_by={"texts": "code"},
        )
        conditions = given["that"] if isinstance(given["that"], list) else [given["that"]]
        if conditions and all(self._templar.evaluate_conditional(each) for each in conditions):
            return result
        try:
            return {**result, **outcome(_found(given), fail=given["fail"])}
        except NoText as error:
            return {**result, "failed": True, "msg": str(error)}


def outcome(found: t.Sequence[Finding], *, fail: bool) -> dict[str, t.Any]:
    """The task's result. If ``fail`` is true, a failure fails the task, and the text of the failure is the task's message."""
    failures = [each for each in found if each.kind == FAILURE and fail]
    if failures:
        return {"failed": True, "msg": " ".join(each.text for each in failures), **why(failures[0])}
    return to_result(found)


def _found(given: t.Mapping[str, t.Any]) -> list[Finding]:
    if given["findings"] is not None:
        return findings_of(given["findings"])
    if given["texts"] is not None:
        return of_texts(given["code"], given["kind"], given["texts"])
    return [in_words(given["says"], given["values"])]
