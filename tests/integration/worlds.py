"""Snapshots of the world to compare, and worlds that tests reuse."""

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from pathlib import Path

from harness import HOME, World
from work import jobs

OUR_ACCOUNTS = ("alice", "bob", "hyperpod-ops")
READY = HOME / ".mlfleet" / "ready.json"  # the first reset removes it


def snapshot(world: World) -> dict[str, t.Any]:
    """All that a run creates, without ids that differ in each world."""
    cluster = world.aws("sagemaker").list_clusters()["ClusterSummaries"][0]["ClusterArn"].rpartition("/")[2]
    groups = world.aws("ec2").describe_security_groups()["SecurityGroups"]
    names = {group["GroupId"]: group["GroupName"] for group in groups}
    found = {
        "balancers": _balancers(world),
        "target groups": _target_groups(world),
        "rules": _rules(world, names),
        "security groups": sorted(names.values()),
        "parameters": _parameters(world, cluster),
        "secrets": sorted(each["Name"] for each in world.aws("secretsmanager").list_secrets()["SecretList"]),
        "nodes": {node["name"]: _node(Path("/proc", str(node["pid"]), "root")) for node in world.hosts()},
    }
    text = json.dumps(found, sort_keys=True, default=str)
    for old, new in {cluster: "CLUSTER", **names}.items():
        text = text.replace(old, new)
    return json.loads(re.sub(r"(hp-ml-|hyperpod-ml-)[0-9a-f]{8}", r"\1HASH", text))


def _tags(each: dict[str, t.Any]) -> list[str]:
    return sorted(f"{tag['Key']}={tag['Value']}" for tag in each["Tags"])


def _plain(each: dict[str, t.Any], *dropped: str) -> dict[str, t.Any]:
    """Without ids and times."""
    never = ("Arn", "Id", "Time", "DNSName", "ARN")
    return {key: value for key, value in each.items() if not key.endswith(never) and key not in dropped}


def _balancers(world: World) -> list[dict[str, t.Any]]:
    elbv2, found = world.aws("elbv2"), []
    for balancer in elbv2.describe_load_balancers()["LoadBalancers"]:
        arn = balancer["LoadBalancerArn"]
        listeners = elbv2.describe_listeners(LoadBalancerArn=arn)["Listeners"]
        attributes = elbv2.describe_load_balancer_attributes(LoadBalancerArn=arn)["Attributes"]
        found.append(
            {
                **_plain(balancer, "AvailabilityZones"),
                "zones": sorted(zone["ZoneName"] for zone in balancer["AvailabilityZones"]),
                "attributes": sorted(f"{each['Key']}={each['Value']}" for each in attributes),
                "tags": _tags(elbv2.describe_tags(ResourceArns=[arn])["TagDescriptions"][0]),
                "listeners": [
                    {
                        **_plain(each, "DefaultActions"),
                        "attributes": elbv2.describe_listener_attributes(ListenerArn=each["ListenerArn"])["Attributes"],
                    }
                    for each in listeners
                ],
            }
        )
    return found


def _target_groups(world: World) -> list[dict[str, t.Any]]:
    elbv2, found = world.aws("elbv2"), []
    for group in elbv2.describe_target_groups()["TargetGroups"]:
        arn = group["TargetGroupArn"]
        attributes = elbv2.describe_target_group_attributes(TargetGroupArn=arn)["Attributes"]
        found.append(
            {
                **_plain(group, "LoadBalancerArns"),
                "in use by": len(group["LoadBalancerArns"]),
                "attributes": sorted(f"{each['Key']}={each['Value']}" for each in attributes),
                "tags": _tags(elbv2.describe_tags(ResourceArns=[arn])["TagDescriptions"][0]),
                "targets": sorted(world.target_health()),
            }
        )
    return found


def _rules(world: World, names: dict[str, str]) -> list[list[str]]:
    shown = ("IsEgress", "IpProtocol", "FromPort", "ToPort", "CidrIpv4", "Description")
    return sorted(
        [names[rule["GroupId"]], names.get(rule.get("ReferencedGroupInfo", {}).get("GroupId"), "")]
        + [str(rule.get(key)) for key in shown]
        + _tags({"Tags": rule.get("Tags", [])})
        for rule in world.aws("ec2").describe_security_group_rules()["SecurityGroupRules"]
    )


def _parameters(world: World, cluster: str) -> dict[str, int]:
    """Number of parameters of each kind; held and released locks count separately."""
    counts: dict[str, int] = {}
    pages = world.aws("ssm").get_paginator("get_parameters_by_path")
    for page in pages.paginate(Path=f"/mlfleet/hyperpod/{cluster}", Recursive=True):
        for parameter in page["Parameters"]:
            kind = parameter["Name"].split("/")[4]
            if kind == "lock":
                kind = "lock, released" if json.loads(parameter["Value"])["released"] else "lock, held"
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def _node(root: Path) -> dict[str, t.Any]:
    passwd = (root / "etc/passwd").read_text().splitlines()
    drop_in = root / "etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf"
    keys = root / "etc/ssh/authorized_keys.d"
    return {
        "accounts": sorted(line for line in passwd if line.split(":")[0] in OUR_ACCOUNTS),
        "keys": {path.name: path.read_text() for path in sorted(keys.glob("*"))},
        "drop-in": drop_in.read_text() if drop_in.exists() else None,
        "rollback armed": bool(list((root / "etc/systemd/system").glob("*.wants/mlfleet-sshd-rollback.*"))),
        "left in /etc/ssh": sorted(path.name for path in (root / "etc/ssh").iterdir() if "mlfleet" in path.name),
    }


def assert_same(found: dict[str, t.Any], wanted: dict[str, t.Any]) -> None:
    """Part by part, so that a failure shows the part."""
    for part, value in wanted.items():
        assert found[part] == value, f"{part}: {found[part]!r}, before: {value!r}"


def assert_people_log_in(world: World) -> None:
    """One name, strict host key checking, every login node."""
    names = {node["name"] for node in world.login_nodes()}
    assert set(filter(None, (world.login("alice").stdout.strip() for _turn in range(9)))) == names
    for node in world.login_nodes():
        done = world.login("bob", "id -u", node["ip"], "-o", f"HostKeyAlias={world.login_name}")
        assert done.stdout.strip() == "20002", done.stdout


# -- worlds to start from -----------------------------------------------------------


def ready_world(*, login: int = 3, compute: int = 1) -> World:
    """The first cluster after one run of login_access; recreated unless an earlier test left it in this state."""
    world = World()
    if not READY.exists() or json.loads(READY.read_text()) != _as_noted(world, login=login, compute=compute):
        world.reset(login=login, compute=compute)
        run = world.playbook("login_access")
        assert run.rc == 0, run.log
        note_ready(world, login=login, compute=compute)
    world.reset_calls()
    return world


def note_ready(world: World, *, login: int = 3, compute: int = 1) -> None:
    """Record that the world is as one run of login_access leaves it, so that the next test can reuse it."""
    READY.write_text(json.dumps(_as_noted(world, login=login, compute=compute)))


def _as_noted(world: World, **shape: int) -> dict[str, t.Any]:
    """A snapshot with passwd, which has all accounts of a node, and without the number of released locks, which does not matter."""
    roots = {node["name"]: Path("/proc", str(node["pid"]), "root") for node in world.hosts()}
    found = snapshot(world)
    found["parameters"].pop("lock, released", None)
    accounts = {name: (root / "etc/passwd").read_text() for name, root in roots.items()}
    return {**found, **shape, "health": world.target_health(), "passwd": accounts, "jobs": jobs(world)}


@dataclasses.dataclass(frozen=True)
class Clean:
    """State after an uninterrupted first run, and the operations that it called: (service, operation, mutating)."""

    state: dict[str, t.Any]
    operations: frozenset[tuple[str, str, bool]]


_clean: list[Clean] = []


def bare_world() -> World:
    """A cluster as HyperPod delivers it; small, because failures between calls do not depend on the number of nodes."""
    world = World()
    world.reset(login=2, compute=0)
    return world


def clean_run() -> Clean:
    """One uninterrupted run on a bare world, made once for all tests of a session."""
    if not _clean:
        world = bare_world()
        run = world.playbook("login_access")
        assert run.rc == 0, run.log
        operations = frozenset((call["service"], call["operation"], call["mutating"]) for call in world.calls())
        _clean.append(Clean(snapshot(world), operations))
    return _clean[0]
