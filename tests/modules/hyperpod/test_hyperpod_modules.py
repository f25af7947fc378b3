# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules as processes of their own, against the lab's simulated API without hosts."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import threading
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from simulated import COLLECTIONS, REGION, Simulated, simulator

NODES = 250
NOBODYS = "arn:aws:sagemaker:us-west-2:111111111111:cluster/aaaaaaaaaaaa"


class Lab(Simulated):
    """The simulated API with one cluster."""

    arn = ""

    @property
    def id(self) -> str:
        return self.arn.rpartition("/")[2]


def create_cluster(lab: Lab) -> str:
    ec2, sagemaker = lab.client("ec2"), lab.client("sagemaker")
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.16.0/20", AvailabilityZone="us-west-2a")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="lab-cluster", Description="nodes", VpcId=vpc)["GroupId"]

    def instance_group(name: str, node_type: str, count: int) -> dict[str, t.Any]:
        return {
            "InstanceGroupName": name,
            "InstanceType": "ml.m5.large",
            "InstanceCount": count,
            "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod",
            "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
            "SlurmConfig": {
                "NodeType": node_type,
                **({"PartitionNames": ["dev"]} if node_type == "Compute" else {}),
            },
        }

    return sagemaker.create_cluster(
        ClusterName="ml",
        InstanceGroups=[
            instance_group("controller-machine", "Controller", 1),
            instance_group("login-group", "Login", 3),
            instance_group("worker-group-1", "Compute", NODES - 4),
        ],
        VpcConfig={"Subnets": [subnet], "SecurityGroupIds": [group]},
        Orchestrator={"Slurm": {}},
        NodeProvisioningMode="Continuous",
        Tags=[{"Key": "team", "Value": "research"}],
    )["ClusterArn"]


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> t.Iterator[Lab]:
    with simulator(tmp_path_factory.mktemp("lab")) as url:
        lab = Lab(url)
        lab.control("settings", {"parameter_rest_seconds": 0})  # tests share the names of their parameters
        lab.arn = create_cluster(lab)
        deadline = time.monotonic() + 60
        while not lab.start("cluster_info", cluster_arn=lab.arn)["cluster"]["at_target_size"]:
            assert time.monotonic() < deadline, "the cluster does not reach its size"
        yield lab
        lab.stop()


@pytest.fixture
def lab(running: Lab) -> t.Iterator[Lab]:
    """The lab without faults, locks, secrets or parameters of an earlier test."""
    yield running
    running.control("faults", method="DELETE")
    ssm, secrets = running.client("ssm"), running.client("secretsmanager")
    for page in ssm.get_paginator("describe_parameters").paginate():
        for parameter in page["Parameters"]:
            ssm.delete_parameter(Name=parameter["Name"])
    for secret in secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]:
        secrets.restore_secret(SecretId=secret["Name"])
        secrets.delete_secret(SecretId=secret["Name"], ForceDeleteWithoutRecovery=True)


def test_cluster_info_reads_one_cluster(lab):
    result = lab.run("cluster_info", cluster_arn=lab.arn)
    assert lab.calls() == ["GetCallerIdentity", "DescribeCluster", "ListTags"]
    cluster = result["cluster"]
    assert (result["account"], cluster["name"], cluster["id"]) == ("111111111111", "ml", lab.id)
    assert cluster["tags"] == {"team": "research"}
    assert cluster["orchestrator"] == "slurm"
    types = {group["name"]: (group["node_type"], group["current"]) for group in cluster["groups"]}
    assert types == {
        "controller-machine": ("controller", 1),
        "login-group": ("login", 3),
        "worker-group-1": ("compute", NODES - 4),
    }


def test_cluster_info_reads_all_clusters(lab):
    assert [cluster["name"] for cluster in lab.run("cluster_info")["clusters"]] == ["ml"]


def test_cluster_info_of_a_cluster_that_does_not_exist(lab):
    result = lab.run("cluster_info", cluster_name="nosuch")
    assert (result["cluster"], result["clusters"]) == (None, [])


@pytest.mark.parametrize("option", ["cluster_arn", "expected_account"])
def test_the_wrong_account_is_refused_before_any_other_call(lab, option):
    other = {"cluster_arn": lab.arn.replace("111111111111", "222222222222"), "expected_account": "222222222222"}
    result = lab.run("cluster_info", **{option: other[option]})
    assert result["failed"]
    assert "belong to account 111111111111" in result["msg"]
    assert "222222222222" in result["msg"]
    assert lab.calls() == ["GetCallerIdentity"]


def test_the_wrong_region_is_refused_without_a_call(lab):
    result = lab.run("cluster_info", cluster_arn=lab.arn.replace(REGION, "eu-west-1"))
    assert result["failed"]
    assert lab.calls() == []


def test_all_nodes_in_three_listings(lab):
    result = lab.run("cluster_node_info", cluster_arn=lab.arn)
    assert result["complete"] is True
    assert len({node["instance_id"] for node in result["nodes"]}) == NODES
    assert lab.calls() == ["DescribeCluster", *["ListClusterNodes"] * 3]
    assert {node["ip"] for node in result["nodes"]} == {None}


def test_addresses_only_where_they_are_wanted(lab):
    result = lab.run("cluster_node_info", cluster_arn=lab.arn, groups=["login-group"], addresses="login")
    assert lab.calls().count("DescribeClusterNode") == 3
    assert lab.calls().count("ListClusterNodes") == 1
    assert all(node["ip"].startswith("10.1.") and node["az"] == "us-west-2a" for node in result["nodes"])
    node = result["nodes"][0]
    assert node["ssm_target"] == f"sagemaker-cluster:{lab.id}_login-group-{node['instance_id']}"


def test_a_listing_that_fails_at_page_two_returns_no_nodes(lab):
    lab.control("faults", {"kind": "fail_page", "operation": "ListClusterNodes", "page": 2})
    result = lab.run("cluster_node_info", cluster_arn=lab.arn, aws_config={"retries": {"max_attempts": 1}})
    assert result["failed"]
    assert "nodes" not in result
    assert "ListClusterNodes for cluster ml failed" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed"),
        ({"cluster_arn": NOBODYS}, f"Cluster {NOBODYS} does not exist in region us-west-2"),
        ({"groups": ["login"]}, "groups: cluster ml has no instance group 'login'"),
        ({"node_types": {"a": "head"}}, "node_types.a: 'head' is not allowed"),
    ],
)
def test_node_info_refuses_bad_input(lab, options, message):
    assert message in lab.run("cluster_node_info", **{"cluster_arn": lab.arn, **options})["msg"]


def test_lock_from_hand_to_hand(lab):
    options = {"cluster_arn": lab.arn}
    assert lab.run("cluster_lock", check=True, token="a", **options)["acquired"]
    assert lab.changes() == []
    first = lab.run("cluster_lock", token="a", owner="alice", **options)
    assert (first["changed"], first["acquired"], first["holder"]["owner"]) == (True, True, "alice")
    again = lab.run("cluster_lock", token="a", **options)
    assert (again["changed"], again["acquired"], lab.changes()) == (False, True, [])
    other = lab.run("cluster_lock", token="b", **options)
    assert (other["changed"], other["acquired"], other["holder"]["owner"]) == (False, False, "alice")
    assert lab.changes() == []
    assert not lab.run("cluster_lock", token="b", state="absent", **options)["changed"]
    assert lab.run("cluster_lock", token="a", state="absent", **options)["changed"]
    taken = lab.run("cluster_lock", token="b", **options)
    assert (taken["acquired"], taken["holder"]["generation"]) == (True, 2)
    path = taken["parameter"]
    left = lab.client("ssm").get_parameters_by_path(Path=path)["Parameters"]
    assert [parameter["Name"] for parameter in left] == [f"{path}/2"]


def test_one_of_many_gets_the_lock(lab):
    with ThreadPoolExecutor(6) as pool:
        results = list(
            pool.map(lambda number: lab.start("cluster_lock", cluster_arn=lab.arn, token=f"run{number}"), range(6))
        )
    assert [result["acquired"] for result in results].count(True) == 1
    assert len({result["holder"]["token"] for result in results}) == 1
    assert [result["changed"] for result in results].count(True) == 1


def test_of_two_that_reach_for_the_lock_together_one_is_told_of_the_other(lab):
    lab.control("settings", {"parameter_write_seconds": 1})
    together = threading.Barrier(2)

    def reach(token: str) -> dict[str, t.Any]:
        lab.start("cluster_lock", cluster_arn=lab.arn, state="query")
        together.wait()
        return lab.start("cluster_lock", cluster_arn=lab.arn, token=token, owner=token)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(reach, ("one", "two")))
    lab.control("settings", {"parameter_write_seconds": 0.02})
    assert not any(result.get("failed") for result in results), results
    winner, loser = sorted(results, key=lambda result: not result["acquired"])
    assert (winner["acquired"], winner["changed"], loser["acquired"], loser["changed"]) == (True, True, False, False)
    assert loser["holder"] == winner["holder"]
    assert "TooManyUpdates" in [call["error"] for call in lab.control("calls")]


def test_lock_whose_answer_was_lost(lab):
    lab.control("faults", {"kind": "cut_after", "operation": "PutParameter", "times": 1})
    result = lab.run("cluster_lock", cluster_arn=lab.arn, token="a")
    assert (result["acquired"], result["holder"]["generation"]) == (True, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed"),
        ({"ttl": 59}, "ttl: 59 is not allowed; it must be from 60 to 86400 seconds"),
        ({"token": None}, "token: needed here"),
    ],
)
def test_lock_refuses_bad_input(lab, options, message):
    result = lab.run("cluster_lock", **{"cluster_arn": lab.arn, "token": "a", **options})
    assert message in result["msg"]
    assert lab.changes() == []


def test_a_record_each_way(lab):
    node = "i-0123456789abcdef0"
    options = {"cluster_arn": lab.arn, "kind": "drained", "name": node, "value": {"reason": "memory"}, "owner": "ann"}
    planned = lab.run("cluster_record", check=True, **options)
    assert (planned["changed"], planned["records"]["drained"][node]["owner"], lab.changes()) == (True, "ann", [])
    made = lab.run("cluster_record", **options)
    assert (made["changed"], made["changes"][0]["action"], lab.changes()) == (True, "create", ["PutParameter"])
    again = lab.run("cluster_record", **{**options, "owner": "bob"})
    assert (again["changed"], again["records"], lab.changes()) == (False, made["records"], [])
    parameter = f"/mlfleet/hyperpod/{lab.id}/records/drained/no-node"
    lab.client("ssm").put_parameter(Name=parameter, Value="{}", Type="String")
    for name, value in ((node, made["records"]["drained"][node]), ("no-node", {})):
        gone = {"cluster_arn": lab.arn, "kind": "drained", "name": name, "state": "absent"}
        planned = lab.run("cluster_record", check=True, **gone)
        assert ([change["before"] for change in planned["changes"]], lab.changes()) == ([value], [])
        assert lab.run("cluster_record", **gone)["records"] == planned["records"] and lab.changes() == ["DeleteParameter"]
        again = lab.run("cluster_record", **gone)
        assert (again["changed"], lab.changes()) == (False, [])
    assert again["records"] == {"drained": {}, "offboarded": {}, "adopted": {}}


def test_host_keys_are_made_once(lab):
    options = {"cluster_arn": lab.arn}
    predicted = lab.run("host_key_secret", check=True, **options)
    assert {key["public_key"] for key in predicted["host_keys"]} == {"(known after apply)"}
    assert lab.changes() == []
    made = lab.run("host_key_secret", **options)
    assert lab.changes() == ["CreateSecret", "PutParameter"]
    assert [key["type"] for key in made["host_keys"]] == ["ed25519", "ecdsa", "rsa"]
    again = lab.run("host_key_secret", **options)
    assert (again["changed"], lab.changes(), again["host_keys"]) == (False, [], made["host_keys"])
    read = lab.run("host_key_secret", state="query", **options)
    assert (read["host_keys"], lab.calls()) == (made["host_keys"], ["GetParameter"])
    lines = private_lines(stored_keys(lab))
    assert len(lines) > 20
    assert not any(line in json.dumps([made, again, read]) for line in lines)


def test_given_public_keys_are_published_without_a_secret(lab):
    now = datetime.datetime.now(datetime.timezone.utc)
    keys = json.loads(host_keys.generate(["ed25519", "ecdsa"], now=now))["keys"]
    options = {
        "cluster_arn": lab.arn,
        "public_keys": [f"{keys[each]['public']} vault" for each in ("ecdsa", "ed25519")],
    }
    lab.control("faults", {"kind": "deny", "operation": "DescribeSecret"})
    predicted = lab.run("host_key_secret", check=True, **options)
    assert (predicted["changed"], lab.changes()) == (True, [])
    made = lab.run("host_key_secret", **options)
    assert (made["changes"], lab.changes()) == (predicted["changes"], ["PutParameter"])
    assert made["host_keys"] == predicted["host_keys"]
    assert [key["public_key"] for key in made["host_keys"]] == [keys[each]["public"] for each in ("ed25519", "ecdsa")]
    again = lab.run("host_key_secret", **options)
    assert (again["changed"], lab.calls()) == (False, ["GetParameter"])
    assert lab.run("host_key_secret", state="query", cluster_arn=lab.arn)["host_keys"] == made["host_keys"]


def test_host_keys_of_a_node_are_asked_for_once_and_kept(lab):
    now = datetime.datetime.now(datetime.timezone.utc)
    pairs = json.loads(host_keys.generate(["ed25519", "rsa"], now=now))["keys"]
    options = {"cluster_arn": lab.arn, "public_keys": [pairs["rsa"]["public"], f"{pairs['ed25519']['public']} root"]}
    predicted = lab.run("host_key_adoption", check=True, **options)
    asked = lab.run("host_key_adoption", **options)
    assert (predicted["changed"], asked["keys_needed"], lab.changes()) == (True, True, [])
    made = lab.run("host_key_adoption", keys=pairs, **options)
    assert (made["changes"], lab.changes()) == (predicted["changes"], ["CreateSecret", "PutParameter"])
    assert made["host_keys"] == predicted["host_keys"]
    assert {kind: pair["private"] for kind, pair in stored_keys(lab).items()} == {
        kind: pair["private"] for kind, pair in pairs.items()
    }
    assert not any(line in json.dumps(made) for line in private_lines(pairs))
    again = lab.run("host_key_adoption", **options)
    assert (again["changed"], "keys_needed" in again, lab.changes()) == (False, False, [])
    assert not lab.run("host_key_secret", cluster_arn=lab.arn, key_types=["ed25519", "rsa"])["changed"]


def stored_keys(lab: Lab) -> dict[str, dict[str, str]]:
    name = f"mlfleet/hyperpod/{lab.id}/ssh-host-keys"
    return json.loads(lab.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"])["keys"]


def private_lines(keys: dict[str, dict[str, str]]) -> list[str]:
    """Lines of the private keys that say more than the public key, whose parts they repeat."""
    return [line for pair in keys.values() for line in pair["private"].splitlines()[1:-1] if line not in pair["public"]]


@pytest.mark.parametrize("operation", ["CreateSecret", "PutParameter"])
def test_host_keys_whose_answer_was_lost(lab, operation):
    lab.control("faults", {"kind": "cut_after", "operation": operation, "times": 1})
    made = lab.run("host_key_secret", cluster_arn=lab.arn)
    assert made["changed"]
    assert lab.run("host_key_secret", cluster_arn=lab.arn)["host_keys"] == made["host_keys"]


def test_host_keys_are_not_made_when_the_secret_cannot_be_read(lab):
    lab.control("faults", {"kind": "deny", "operation": "DescribeSecret"})
    result = lab.run("host_key_secret", cluster_arn=lab.arn)
    assert result["failed"]
    assert lab.changes() == []


def test_host_keys_leave_and_stay_restorable(lab):
    lab.run("host_key_secret", cluster_arn=lab.arn)
    predicted = lab.run("host_key_secret", check=True, cluster_arn=lab.arn, state="absent")
    assert (predicted["changed"], lab.changes()) == (True, [])
    assert lab.run("host_key_secret", cluster_arn=lab.arn, state="absent")["changes"] == predicted["changes"]
    assert not lab.run("host_key_secret", cluster_arn=lab.arn, state="absent")["changed"]
    assert "restore-secret" in lab.run("host_key_secret", cluster_arn=lab.arn)["msg"]
    assert lab.changes() == []


def test_a_secret_of_somebody_else_stays(lab):
    name = f"mlfleet/hyperpod/{lab.id}/ssh-host-keys"
    lab.client("secretsmanager").create_secret(Name=name, SecretString="something else")
    for state in ("present", "absent"):
        result = lab.run("host_key_secret", cluster_arn=lab.arn, state=state)
        assert name in result["msg"]
        assert "something else" not in json.dumps(result)
        assert lab.changes() == []


def test_a_change_waits_for_the_lock_of_others(lab):
    lab.run("cluster_lock", cluster_arn=lab.arn, token="other", owner="eve")
    result = lab.run("host_key_secret", cluster_arn=lab.arn, lock=True)
    assert result["failed"]
    assert lab.changes() == []


def test_ansible_runs_hold_the_lock_while_they_live(lab, tmp_path):
    """Two tasks of one run share the lock; the next run takes over from a run that ended without releasing it."""
    tasks = [
        {"mlfleet.hyperpod.host_key_secret": {"cluster_arn": lab.arn, "lock": True}, "register": "made"},
        {"mlfleet.hyperpod.cluster_lock": {"cluster_arn": lab.arn}, "register": "held"},
        {"mlfleet.hyperpod.cluster_lock": {"cluster_arn": lab.arn, "token": "x"}, "register": "other"},
        {"ansible.builtin.assert": {"that": ["made is changed or second", "held.acquired", "not other.acquired"]}},
        {"ansible.builtin.assert": {"that": ["(held is changed) == second", "other.locked_by is undefined"]}},
    ]
    play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
    play["module_defaults"] = {
        f"mlfleet.hyperpod.{name}": {"region": REGION} for name in ("host_key_secret", "cluster_lock")
    }
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    for second in (False, True):
        done = playbook(lab, tmp_path, second=second)
        assert done.returncode == 0, done.stdout
        assert not any(line in done.stdout + done.stderr for line in private_lines(stored_keys(lab)))
    assert "has ended without it" in done.stdout + done.stderr


def playbook(lab: Lab, folder: Path, *, second: bool) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ansible", "playbook", "-vvv", "play.yml"]
    variables = {
        "second": second,
        "ansible_python_interpreter": sys.executable,
        "ansible_remote_tmp": str(folder / "tmp"),
    }
    return subprocess.run(
        [*command, "-e", json.dumps(variables)],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "AWS_ENDPOINT_URL": lab.url,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret-example",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
