"""What failure tests need beside the harness: runs that can be killed, and a world in a form that compares."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import time
import typing as t
import uuid
from pathlib import Path

from harness import HOME, Run, World
from lab import control

MARK = "LAB_TEST_RUN"
ALWAYS = 40  # more runs than the longest chain of killed ones has
OUR_ACCOUNTS = ("alice", "bob", "hyperpod-ops")


class Started:
    """A playbook that runs beside the test. Everything it starts on the controller carries its mark."""

    def __init__(self, world: World, verb: str, *arguments: str, state_dir: Path | None = None) -> None:
        self.world = world
        self.mark = uuid.uuid4().hex
        self.state_dir = state_dir
        self.begin = time.monotonic()
        self.log = HOME / f"{self.mark}.log"
        extra = {MARK: self.mark, **({"HYPERPOD_STATE_DIR": str(state_dir)} if state_dir else {})}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["ansible-playbook", f"mlfleet.hyperpod.{verb}", *arguments],
                env={**os.environ, **extra},
                cwd=world.paths.repo,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """End the run with all its children at once, as a machine that loses power does."""
        while carriers := self._carriers():
            for pid in carriers:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.process.wait(timeout=30)
        self.log.unlink()

    def _carriers(self) -> list[int]:
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found

    def end(self, timeout: float = 600) -> Run:
        rc = self.process.wait(timeout=timeout)
        output = self.log.read_text()
        self.log.unlink()
        path = (self.state_dir or HOME / ".mlfleet" / "hyperpod") / "report.json"
        report = json.loads(path.read_text()) if path.exists() else {}
        return Run(rc, output, report, time.monotonic() - self.begin)


def run_until(run: Started, condition: t.Callable[[], bool], *, seconds: float = 300) -> bool:
    """Wait until the condition holds (true) or the run has ended by itself (false)."""
    deadline = time.monotonic() + seconds
    while run.running():
        if condition():
            return True
        assert time.monotonic() < deadline, "neither did the run end nor what was waited for come"
        time.sleep(0.05)
    return False


def held(world: World) -> list[dict[str, t.Any]]:
    return control.call(world.paths, "GET", "/lab/held")


def release(world: World) -> None:
    """Forget the rules first: the next call of a process that is just being killed must not be held again."""
    world.clear_faults()
    control.call(world.paths, "POST", "/lab/release", {})


def killed_at_each(
    world: World, verb: str, places: dict[str, tuple[int, dict[str, t.Any]]], *arguments: str
) -> list[str]:
    """Kill run after run of a playbook when its next call in ``places`` took effect and the reply is still under way.

    Until a run comes to its end; where the others died.
    """
    left = {place: times for place, (times, _rule) in places.items()}
    died: list[str] = []
    while True:
        rules = {place: rule for place, (_times, rule) in places.items() if left[place]}
        for rule in rules.values():
            world.fault(kind="hold", **rule)
        run = Started(world, verb, *arguments)
        if not run_until(run, lambda: bool(held(world))):
            release(world)
            done = run.end()
            assert done.rc == 0, done.output
            return died
        place = _place(world, held(world)[0]["sequence"], rules)
        run.kill()
        release(world)
        died.append(place)
        left[place] -= 1
        assert len(died) < ALWAYS, died


def _place(world: World, sequence: int, rules: dict[str, dict[str, t.Any]]) -> str:
    call = next(call for call in world.calls() if call["sequence"] == sequence)
    return next(
        place
        for place, rule in rules.items()
        if rule["operation"] == call["operation"]
        and all(call["arguments"].get(key) == value for key, value in rule.get("where", {}).items())
    )


# -- the end state -----------------------------------------------------------


def snapshot(world: World) -> dict[str, t.Any]:
    """All that a run makes, without the ids that each world makes anew."""
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
    """How many of each kind; a lock that is not given back counts on its own."""
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
        assert found[part] == value, part


def assert_people_log_in(world: World) -> None:
    """One name, strict host key checking, every login node."""
    names = {node["name"] for node in world.login_nodes()}
    assert set(filter(None, (world.login("alice").stdout.strip() for _turn in range(9)))) == names
    for node in world.login_nodes():
        done = world.login("bob", "id -u", node["ip"], "-o", f"HostKeyAlias={world.login_name}")
        assert done.stdout.strip() == "20002", done.stdout


@dataclasses.dataclass(frozen=True)
class Clean:
    """What an uninterrupted first run leaves, and the operations it called: (service, operation, mutating)."""

    state: dict[str, t.Any]
    operations: frozenset[tuple[str, str, bool]]
    mutating: tuple[tuple[str, str], ...]


_clean: list[Clean] = []


def clean_run(world: World, *, again: bool = False) -> Clean:
    """Made once for all tests; ``again``: the caller wants the world that it leaves, too."""
    if again or not _clean:
        world.reset()
        run = world.playbook("login_access")
        assert run.rc == 0, run.output
        calls = world.calls()
        operations = frozenset((call["service"], call["operation"], call["mutating"]) for call in calls)
        mutating = tuple((call["service"], call["operation"]) for call in calls if call["mutating"])
        _clean[:] = [Clean(snapshot(world), operations, mutating)]
    return _clean[0]
