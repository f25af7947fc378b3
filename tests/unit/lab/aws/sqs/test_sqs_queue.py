# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module community.aws.sqs_queue against the simulator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t

import pytest

MODULE = "ansible_collections.community.aws.plugins.modules.sqs_queue"
ARN = "arn:aws:sqs:us-west-2:111111111111"
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": f"{ARN}:of-module",
            "Condition": {"ArnEquals": {"aws:SourceArn": "arn:aws:events:us-west-2:111111111111:rule/of-module"}},
        }
    ],
}
WANTED = {
    "name": "of-module",
    "visibility_timeout": 60,
    "policy": POLICY,
    "redrive_policy": {"deadLetterTargetArn": f"{ARN}:of-module-dead", "maxReceiveCount": 3},
    "tags": {"team": "a"},
}


@pytest.fixture
def run(account: t.Any) -> t.Callable[..., dict[str, t.Any]]:
    """Runs the module, and returns its result with the operations that changed something."""
    keys = {"AWS_ACCESS_KEY_ID": "AKIA111111111111", "AWS_SECRET_ACCESS_KEY": "x", "AWS_ENDPOINT_URL": account.url}
    environment = {**os.environ, **keys, "AWS_REGION": "us-west-2", "AWS_EC2_METADATA_DISABLED": "true"}

    def run(**options: t.Any) -> dict[str, t.Any]:
        account.control.reset_calls()
        request = json.dumps({"ANSIBLE_MODULE_ARGS": {"region": "us-west-2", **options}})
        done = subprocess.run([sys.executable, "-m", MODULE], input=request, capture_output=True, text=True, env=environment, check=False)
        assert done.stdout, done.stderr
        result: dict[str, t.Any] = json.loads(done.stdout)
        assert not result.get("failed"), result["msg"]
        assert account.control.problems() == []
        return {**result, "writes": [call["operation"] for call in account.control.calls(service="sqs", mutating=True)]}

    return run


def test_create_change_and_delete(account: t.Any, run: t.Callable[..., dict[str, t.Any]]) -> None:
    pytest.importorskip(MODULE)
    run(name="of-module-dead")
    assert run(**WANTED, _ansible_check_mode=True)["writes"] == []
    made = run(**WANTED)
    assert (made["changed"], made["tags"], made["queue_arn"]) == (True, {"team": "a"}, f"{ARN}:of-module")
    assert (made["policy"], made["redrive_policy"], made["visibility_timeout"]) == (POLICY, WANTED["redrive_policy"], 60)
    again = run(**WANTED)
    assert (again["changed"], again["writes"]) == (False, [])
    changed = run(name="of-module", visibility_timeout=90)
    assert (changed["writes"], changed["visibility_timeout"], changed["policy"]) == (["SetQueueAttributes"], 90, POLICY)
    assert run(name="of-module", state="absent", _ansible_check_mode=True)["writes"] == []
    assert run(name="of-module", state="absent")["changed"] and not run(name="of-module", state="absent")["changed"]
