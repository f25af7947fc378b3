# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module with commit-confirm, phase by phase."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED, Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import phases
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.model import FileWrite

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files of sshd belong to root")


class Ended(Exception):
    """The result that the module returned."""

    def __init__(self, result: dict[str, t.Any]) -> None:
        self.result = result


class Module:
    """A stand-in for AnsibleModule."""

    def __init__(self, *, check: bool, **options: t.Any) -> None:
        checked = ArgumentSpecValidator(phases.SPEC).validate(options)
        assert not checked.error_messages, checked.error_messages
        self.params, self.check_mode = checked.validated_parameters, check
        self.warnings: list[str] = []

    def warn(self, warning: str) -> None:
        self.warnings.append(warning)

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        raise Ended(result)

    def fail_json(self, msg: str, **result: t.Any) -> t.NoReturn:
        raise Ended({"failed": True, "msg": msg, **result})


def run(node: Path, wanted: str = "new\n", *, check: bool = False, **options: t.Any) -> tuple[dict[str, t.Any], list[str]]:
    """The result and the warnings of a module that writes a text to a file."""
    path = node / "etc/changed"

    def plan(text: str) -> Plan:
        change = Change("update", str(path), "content", text, wanted)
        step = Step("Write", {"files": [FileWrite(str(path), wanted.encode())]}, (change,), effect=lambda _text: wanted)
        return Plan(steps=(step,) if text != wanted else ())

    def make(module: t.Any) -> Resource:
        applier = phases.Applier(module.params, subject="a test")
        if wanted == "refused":
            raise Refused("content: 'refused' is not allowed")
        return Resource(path.read_text, plan, applier, lambda text: {"file": {"content": text}, **applier.result()})

    APPLIED.clear()  # each module is a process
    module = Module(check=check, **options)
    with pytest.raises(Ended) as ended:
        phases.run(module, make)
    return ended.value.result, module.warnings


def test_a_change_is_pending_until_it_is_confirmed(node):
    applied, warnings = run(node)
    assert (applied["changed"], applied["file"], warnings) == (True, {"content": "new\n"}, [])
    change = applied["sshd_change"]
    assert (change["status"], change["subject"], change["files"]) == ("pending", "a test", [str(node / "etc/changed")])
    assert run(node, phase="status", token=change["token"])[0] == {"changed": False, "sshd_change": change}
    confirmed = run(node, phase="confirm", token=change["token"])[0]
    assert (confirmed["changed"], confirmed["sshd_change"]["status"]) == (False, "confirmed")
    again, warnings = run(node)
    assert (again["changed"], again["sshd_change"]["status"], warnings) == (False, "unchanged", [])
    assert (node / "etc/changed").read_text() == "new\n"


@pytest.mark.parametrize("token", ["other", ""])
def test_a_change_is_confirmed_only_with_its_token(node, token):
    run(node)
    answer = run(node, phase="confirm", token=token)[0]
    assert answer["sshd_change"]["status"] == "unknown"


def test_a_change_that_needs_no_confirmation_stays(node):
    applied, _warnings = run(node, confirm=False)
    assert (applied["changed"], applied["sshd_change"]["status"]) == (True, "confirmed")
    assert run(node)[1] == []


def test_check_mode_changes_nothing(node):
    predicted, warnings = run(node, check=True)
    assert (predicted["changed"], predicted["file"], warnings) == (True, {"content": "new\n"}, [])
    assert predicted["sshd_change"]["status"] == "unchanged"
    assert (node / "etc/changed").read_text() == "old\n" and not (node / "rollback").exists()


def test_an_unconfirmed_change_of_a_killed_run_is_rolled_back_first(node):
    run(node)
    predicted, (warning,) = run(node, "third\n", check=True)
    assert warning.startswith("An earlier run did not confirm its change of a test (") and warning.endswith(" this run would first roll it back.")
    assert predicted["changed"] and (node / "etc/changed").read_text() == "new\n"
    applied, (warning,) = run(node, "third\n")
    assert warning.startswith("An earlier run did not confirm its change of a test (") and warning.endswith(" was rolled back.")
    assert [each["before"] for each in applied["changes"]] == ["old\n"]


@pytest.mark.parametrize("seconds", [14, 901])
def test_a_timeout_that_is_too_short_or_too_long_is_refused(node, seconds):
    answer, _warnings = run(node, confirm_timeout=seconds)
    refusal = answer.pop("hyperpod_failure")
    assert (refusal["code"], refusal["subject"]) == ("option-refused", "confirm_timeout")
    assert answer == {
        "failed": True,
        "msg": f"confirm_timeout: {seconds} is not allowed. Allowed: seconds from 15 to 900.",
        "changed": False,
        "changes": [],
    }
    assert (node / "etc/changed").read_text() == "old\n"


@pytest.mark.parametrize("seconds", [15, 900])
def test_the_shortest_and_the_longest_timeout_are_allowed(node, seconds):
    assert run(node, confirm_timeout=seconds)[0]["changed"]
    assert f"OnActiveSec={seconds}s" in (node / "units/mlfleet-sshd-rollback.timer").read_text()


@pytest.mark.parametrize(
    ("wanted", "msg"), [("refused", "content: 'refused' is not allowed"), ("wrong\n", "sshd does not accept the configuration")]
)
def test_a_refused_change_is_a_failure_and_undone(node, wanted, msg):
    answer, _warnings = run(node, wanted)
    assert answer["failed"] and answer["msg"].startswith(msg) and (node / "etc/changed").read_text() == "old\n"
