# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_key_adoption against the simulated API."""

from __future__ import annotations

import datetime
import json

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from modules.fixtures.host_keys import private_lines, stored_keys
from simulated.shape import changes_once


def test_adopted_once(account):
    pairs = json.loads(host_keys.generate(["ed25519"], now=datetime.datetime.now(datetime.timezone.utc)))["keys"]
    given = {"cluster_arn": account.arn, "public_keys": [pairs["ed25519"]["public"]], "keys": pairs}
    changes_once(account, "host_key_adoption", **given)


def test_host_keys_of_a_node_are_requested_once_and_kept(account):
    now = datetime.datetime.now(datetime.timezone.utc)
    pairs = json.loads(host_keys.generate(["ed25519", "rsa"], now=now))["keys"]
    options = {"cluster_arn": account.arn, "public_keys": [pairs["rsa"]["public"], f"{pairs['ed25519']['public']} root"]}
    predicted = account.run("host_key_adoption", check=True, **options)
    requested = account.run("host_key_adoption", **options)
    assert (predicted["changed"], requested["keys_needed"], account.changes()) == (True, True, [])
    made = account.run("host_key_adoption", keys=pairs, **options)
    assert (made["changes"], account.changes()) == (predicted["changes"], ["CreateSecret", "PutParameter"])
    assert made["host_keys"] == predicted["host_keys"]
    assert {kind: pair["private"] for kind, pair in stored_keys(account).items()} == {
        kind: pair["private"] for kind, pair in pairs.items()
    }
    assert not any(line in json.dumps(made) for line in private_lines(pairs))
    second = account.run("host_key_adoption", **options)
    assert (second["changed"], "keys_needed" in second, account.changes()) == (False, False, [])
    assert not account.run("host_key_secret", cluster_arn=account.arn, key_types=["ed25519", "rsa"])["changed"]
