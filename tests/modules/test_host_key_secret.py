# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_key_secret against the simulated API."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from modules.fixtures.host_keys import private_lines, stored_keys
from simulated.shape import one_shape


def test_made_and_removed(account):
    keys = {"cluster_arn": account.arn}
    one_shape(account, "host_key_secret", present=keys, absent={**keys, "state": "absent"}, unforeseen=["rotation"])


def test_host_keys_are_created_once(account):
    options = {"cluster_arn": account.arn}
    predicted = account.run("host_key_secret", check=True, **options)
    assert {key["public_key"] for key in predicted["host_keys"]} == {"(known after apply)"}
    assert account.changes() == []
    made = account.run("host_key_secret", **options)
    assert account.changes() == ["CreateSecret", "PutParameter"]
    assert [key["type"] for key in made["host_keys"]] == ["ed25519", "ecdsa", "rsa"]
    second = account.run("host_key_secret", **options)
    assert (second["changed"], account.changes(), second["host_keys"]) == (False, [], made["host_keys"])
    read = account.run("host_key_secret", state="query", **options)
    assert (read["host_keys"], account.calls()) == (made["host_keys"], ["GetParameter"])
    lines = private_lines(stored_keys(account))
    assert len(lines) > 20
    assert not any(line in json.dumps([made, second, read]) for line in lines)


def test_given_public_keys_are_published_without_a_secret(account):
    now = datetime.datetime.now(datetime.timezone.utc)
    keys = json.loads(host_keys.generate(["ed25519", "ecdsa"], now=now))["keys"]
    options = {
        "cluster_arn": account.arn,
        "public_keys": [f"{keys[each]['public']} vault" for each in ("ecdsa", "ed25519")],
    }
    account.control("faults", {"kind": "deny", "operation": "DescribeSecret"})
    predicted = account.run("host_key_secret", check=True, **options)
    assert (predicted["changed"], account.changes()) == (True, [])
    made = account.run("host_key_secret", **options)
    assert (made["changes"], account.changes()) == (predicted["changes"], ["PutParameter"])
    assert made["host_keys"] == predicted["host_keys"]
    assert [key["public_key"] for key in made["host_keys"]] == [keys[each]["public"] for each in ("ed25519", "ecdsa")]
    second = account.run("host_key_secret", **options)
    assert (second["changed"], account.calls()) == (False, ["GetParameter"])
    assert account.run("host_key_secret", state="query", cluster_arn=account.arn)["host_keys"] == made["host_keys"]


@pytest.mark.parametrize("operation", ["CreateSecret", "PutParameter"])
def test_host_keys_after_a_lost_reply(account, operation):
    account.control("faults", {"kind": "cut_after", "operation": operation, "times": 1})
    made = account.run("host_key_secret", cluster_arn=account.arn)
    assert made["changed"]
    assert account.run("host_key_secret", cluster_arn=account.arn)["host_keys"] == made["host_keys"]


def test_no_host_keys_are_created_if_the_secret_cannot_be_read(account):
    account.control("faults", {"kind": "deny", "operation": "DescribeSecret"})
    result = account.run("host_key_secret", cluster_arn=account.arn)
    assert result["failed"]
    assert account.changes() == []


def test_removed_host_keys_can_be_restored(account):
    account.run("host_key_secret", cluster_arn=account.arn)
    predicted = account.run("host_key_secret", check=True, cluster_arn=account.arn, state="absent")
    assert (predicted["changed"], account.changes()) == (True, [])
    assert account.run("host_key_secret", cluster_arn=account.arn, state="absent")["changes"] == predicted["changes"]
    assert not account.run("host_key_secret", cluster_arn=account.arn, state="absent")["changed"]
    assert "restore-secret" in account.run("host_key_secret", cluster_arn=account.arn)["msg"]
    assert account.changes() == []


def test_a_foreign_secret_is_unchanged(account):
    name = f"mlfleet/hyperpod/{account.id}/ssh-host-keys"
    account.client("secretsmanager").create_secret(Name=name, SecretString="something else")
    for state in ("present", "absent"):
        result = account.run("host_key_secret", cluster_arn=account.arn, state=state)
        assert name in result["msg"]
        assert "something else" not in json.dumps(result)
        assert account.changes() == []


def test_a_change_waits_for_another_lock_holder(account):
    account.run("cluster_lock", cluster_arn=account.arn, token="other", owner="eve")
    result = account.run("host_key_secret", cluster_arn=account.arn, lock=True)
    assert result["failed"]
    assert account.changes() == []
