# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ansible-inventory` against the simulated API: it is complete, stays within its call budget, and keeps clusters apart."""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import verdict

COLLECTIONS = Path(verdict.__file__).parents[5]
AWS_CONFIG = """\
[profile one]
region = us-west-2
[profile two]
region = us-west-2
role_arn = arn:aws:iam::222222222222:role/reader
source_profile = one
"""
AWS_CREDENTIALS = "[one]\naws_access_key_id = AKIA111111111111\naws_secret_access_key = x\n"


def _plain(value: dict[str, t.Any]) -> t.Any:
    """Remove the marks of unsafe texts, which are never templated."""
    return value["__ansible_unsafe"] if set(value) == {"__ansible_unsafe"} else value


@pytest.fixture
def inventory(account, tmp_path: Path) -> t.Callable[..., tuple[subprocess.CompletedProcess, dict, dict]]:
    """``inventory(**source)`` runs ansible-inventory on a source file and returns the process, the hosts and the calls."""
    (tmp_path / "config").write_text(AWS_CONFIG)
    (tmp_path / "credentials").write_text(AWS_CREDENTIALS)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_ENDPOINT_URL": account.url,
        "AWS_EC2_METADATA_DISABLED": "true",
        "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
        "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
    }

    def run(**source: t.Any) -> tuple[subprocess.CompletedProcess, dict, dict]:
        path = tmp_path / "hyperpod.yml"
        path.write_text(yaml.safe_dump({"plugin": "mlfleet.hyperpod.hyperpod", **source}))
        account.control.reset_calls()
        done = subprocess.run(
            [sys.executable, "-m", "ansible", "inventory", "-i", str(path), "--list"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        hosts = json.loads(done.stdout, object_hook=_plain)["_meta"]["hostvars"] if done.returncode == 0 else {}
        return done, hosts, dict(collections.Counter(call["operation"] for call in account.control.calls()))

    return run


def test_250_nodes_are_listed_completely_within_the_budget_of_calls(account, inventory, tmp_path):
    groups = (
        account.group("controller-machine", 1, "Controller"),
        account.group("login-group", 3, "Login"),
        account.group("worker-group-1", 246),
    )
    account.control.settings(max_nodes=300)
    account.cluster("big", *groups, Tags=[{"Key": "lab/hosts", "Value": "none"}])
    source = {
        "accounts": [{"profile": "one", "regions": ["us-west-2"], "clusters": [{"name": "big"}]}],
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
    }
    _done, hosts, calls = inventory(**source)
    assert len(hosts) == 251, _done.stderr
    assert calls == {"DescribeCluster": 1, "ListClusterNodes": 3, "DescribeClusterNode": 4}
    assert len({variables["ansible_host"] for variables in hosts.values() if "ansible_host" in variables}) == 250
    _done, cached, calls = inventory(**source)
    assert (cached, calls) == (hosts, {})
    source["accounts"][0]["filters"] = {"name": "other*"}
    _done, left, calls = inventory(**source)
    assert (left, calls) == ({}, {"DescribeCluster": 1}), "an edited source is read again"


def test_two_clusters_of_the_same_name_are_not_merged(account, inventory):
    account.cluster("prod")
    other = type(account)(account.url, "222222222222")
    other.cluster("prod")
    accounts = [{"profile": profile, "regions": ["us-west-2"], "clusters": [{"name": "prod"}]} for profile in ("one", "two")]
    done, _hosts, _calls = inventory(accounts=accounts)
    assert done.returncode != 0
    arns = [each.sagemaker.describe_cluster(ClusterName="prod")["ClusterArn"] for each in (account, other)]
    assert all(arn in done.stderr for arn in arns), done.stderr

    accounts[1]["clusters"] = [{"name": "prod", "key": "prod-two"}]
    done, hosts, _calls = inventory(accounts=accounts)
    clusters = {name: each["hyperpod_cluster_arn"] for name, each in hosts.items() if "hyperpod_node_types" in each}
    assert clusters == {"prod": arns[0], "prod-two": arns[1]}, done.stderr
    targets = [variables["ansible_host"] for variables in hosts.values() if "ansible_host" in variables]
    assert len(targets) == len(set(targets)) == 8
