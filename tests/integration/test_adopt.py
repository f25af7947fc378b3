"""Adoption of the end state of AWS's article: a balancer made in the console, users made by hand, host keys copied once."""

from __future__ import annotations

import socket
import subprocess
import typing as t
from collections.abc import Iterator

import pytest
from harness import HOME, Run, World
from lab.aws import permissions
from steps import step
from visitors import visitors

BALANCER, GROUP = "smhp-login-node-lb", "smhp-login-node-tg"
KNOWN_HOSTS = HOME / "laptop-known_hosts"
ADOPT, ENFORCE = ("-e", "login_access_mode=adopt"), ("-e", "login_access_mode=enforce")
TEAM_TAGS = {"team": "research"}
PEOPLE = {"alice": 20001, "carol": 5003}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def policies_for_adopted_names() -> Iterator[None]:
    """The policy has the names of adopted load balancers, as its documentation requires."""
    World().settings(policies=permissions.documented(balancers="smhp-login-node-*"))
    yield
    World().settings(policies=permissions.documented())


class ByHand:
    """The end state of the article, and what people who use it see."""

    def __init__(self, world: World, *, filtered: bool = True) -> None:
        self.world, self.elbv2, self.ec2 = world, world.aws("elbv2"), world.aws("ec2")
        self.nodes_group = world.node_security_group()
        self.from_vpc = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.1.0.0/16"}]}
        self.ec2.authorize_security_group_ingress(GroupId=self.nodes_group, IpPermissions=[self.from_vpc])
        self.balance(filtered=filtered)
        first, *others = world.login_nodes()
        keys = self.root(first, "cd /etc/ssh && tar c ssh_host_* | base64 -w 0")
        for node in others:
            self.root(node, f"cd /etc/ssh && echo {keys} | base64 -d | tar x && systemctl reload ssh")
        for node in world.hosts():
            for name, uid in PEOPLE.items():
                self.root(node, f"useradd -u {uid} -M -d /fsx/{name} -s /bin/bash {name}")
        laptop = (HOME / "people" / "alice" / "id_ed25519.pub").read_text().strip()
        self.root(
            first,
            'su alice -c \'mkdir -p -m 700 /fsx/alice/.ssh && cd /fsx/alice/.ssh && ssh-keygen -q -t ed25519 -N "" '
            f'-f id_ed25519 && cat id_ed25519.pub > authorized_keys && echo "{laptop}" >> authorized_keys\'',
        )
        public = self.root(first, "cat /etc/ssh/ssh_host_*_key.pub").splitlines()
        KNOWN_HOSTS.write_text("".join(f"{self.name} {' '.join(line.split()[:2])}\n" for line in public))
        world.eventually(self.all_healthy)
        world.reset_calls()

    def balance(self, *, filtered: bool) -> None:
        vpc = self.ec2.describe_subnets(SubnetIds=self.world.subnets()[:1])["Subnets"][0]["VpcId"]
        team = [{"Key": key, "Value": value} for key, value in TEAM_TAGS.items()]
        self.group_arn = self.elbv2.create_target_group(
            Tags=team, Name=GROUP, Protocol="TCP", Port=22, VpcId=vpc, TargetType="ip", HealthCheckProtocol="TCP"
        )["TargetGroups"][0]["TargetGroupArn"]
        targets = [{"Id": node["ip"], "Port": 22} for node in self.world.login_nodes()]
        self.elbv2.register_targets(TargetGroupArn=self.group_arn, Targets=targets)
        groups = {"SecurityGroups": [self.nodes_group]} if filtered else {}
        made = self.elbv2.create_load_balancer(
            Tags=team, Name=BALANCER, Type="network", Scheme="internal", Subnets=self.world.subnets(), **groups
        )["LoadBalancers"][0]
        self.arn, self.name = made["LoadBalancerArn"], made["DNSName"]
        forward = [{"Type": "forward", "TargetGroupArn": self.group_arn}]
        self.elbv2.create_listener(LoadBalancerArn=self.arn, Protocol="TCP", Port=22, DefaultActions=forward)
        self.world.eventually(self.balancer)  # the first read of a new load balancer finds nothing

    def recreate_balancer(self, *, filtered: bool) -> None:
        self.elbv2.delete_load_balancer(LoadBalancerArn=self.arn)
        self.world.eventually(lambda: self.elbv2.delete_target_group(TargetGroupArn=self.group_arn))
        known = KNOWN_HOSTS.read_text().replace(self.name, "NAME")
        self.balance(filtered=filtered)
        KNOWN_HOSTS.write_text(known.replace("NAME", self.name))
        self.world.eventually(self.all_healthy)

    def remove(self) -> None:
        self.ec2.revoke_security_group_ingress(GroupId=self.nodes_group, IpPermissions=[self.from_vpc])
        KNOWN_HOSTS.unlink(missing_ok=True)
        # The next world of this lab has the same shared file system, with root squash.
        self.root(self.world.login_nodes()[0], "su alice -c 'rm -rf /fsx/alice/.ssh'")

    def all_healthy(self) -> None:
        assert self.world.target_health() == {node["ip"]: "healthy" for node in self.world.login_nodes()}

    def root(self, node: dict[str, t.Any], script: str) -> str:
        done = self.world.on_node(node["instance_id"], "sh", "-c", script)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    # -- what people see ----------------------------------------------------------------------------------------------

    def ssh(self, command: str) -> list[str]:
        """SSH command of alice's laptop, which trusts only the host keys from before the adoption."""
        settings = {
            "IdentityFile": HOME / "people" / "alice" / "id_ed25519",
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "UserKnownHostsFile": KNOWN_HOSTS,
            "GlobalKnownHostsFile": "/dev/null",
            "ConnectTimeout": "10",
        }
        flat = [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]
        return ["ssh", "-F", "none", *flat, f"alice@{self.name}", command]

    def login(self) -> t.Any:
        return self.world.run(self.ssh("hostname"), timeout=60)

    def assert_people_work(self) -> None:
        """One name, every node, the host keys that the laptop trusts, and ssh from node to node."""
        names = {node["name"] for node in self.world.login_nodes()}
        seen = [self.login().stdout.strip() for _turn in range(9)]
        assert set(seen) == names, seen
        first, compute = self.world.login_nodes()[0], self.world.hosts("worker-group-1")[0]
        hop = f"ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null {compute['ip']} id -u"
        assert self.root(first, f"su alice -c '{hop}' 2>/dev/null") == "20001"

    def balancer(self) -> dict[str, t.Any]:
        """Settings of load balancer, listener and target group; without tags."""
        described = self.elbv2.describe_load_balancers(LoadBalancerArns=[self.arn])["LoadBalancers"]
        attributes = self.elbv2.describe_load_balancer_attributes(LoadBalancerArn=self.arn)["Attributes"]
        return {
            "load balancer": [{**each, "SecurityGroups": sorted(each.get("SecurityGroups", []))} for each in described],
            "attributes": sorted(f"{each['Key']}={each['Value']}" for each in attributes),
            "listeners": self.elbv2.describe_listeners(LoadBalancerArn=self.arn)["Listeners"],
            **self.target_group(),
        }

    def target_group(self) -> dict[str, t.Any]:
        attributes = self.elbv2.describe_target_group_attributes(TargetGroupArn=self.group_arn)["Attributes"]
        return {
            "target group": self.elbv2.describe_target_groups(TargetGroupArns=[self.group_arn])["TargetGroups"],
            "group attributes": sorted(f"{each['Key']}={each['Value']}" for each in attributes),
            "targets": self.world.target_health(),
        }

    def tags(self) -> list[dict[str, str]]:
        found = self.elbv2.describe_tags(ResourceArns=[self.arn, self.group_arn])["TagDescriptions"]
        return [{tag["Key"]: tag["Value"] for tag in each["Tags"]} for each in found]

    def nodes(self) -> dict[str, str]:
        """Checksums of what a run could change on each node, without our own account."""
        script = "cat /etc/ssh/sshd_config /etc/ssh/sshd_config.d/* /etc/ssh/ssh_host_* 2>/dev/null | sha256sum; "
        script += "grep -v hyperpod-ops /etc/passwd | sha256sum; ls /etc/systemd/system /etc/ssh/sshd_config.d"
        return {node["name"]: self.root(node, script) for node in self.world.hosts()}

    def secrets(self) -> list[str]:
        return [each["Name"] for each in self.world.aws("secretsmanager").list_secrets()["SecretList"]]


@pytest.fixture(scope="module")
def by_hand() -> Iterator[ByHand]:
    """The article's end state. The tests of this module adopt it in their order."""
    world = World()
    world.reset(login=2, compute=1)
    made = ByHand(world)
    yield made
    made.remove()


def notes_of(run: Run) -> str:
    return "\n".join(run.cluster()["notes"])


def mutating(world: World) -> list[str]:
    return [call["operation"] for call in world.calls(mutating=True)]


def test_a_plan_changes_nothing_and_lists_the_changes(by_hand: ByHand):
    by_hand.assert_people_work()
    before = (by_hand.balancer(), by_hand.tags(), by_hand.nodes())
    by_hand.world.reset_calls()
    run = by_hand.world.playbook("adopt")
    assert (run.rc, run.status) == (0, "unchanged"), run.log
    assert mutating(by_hand.world) == []
    assert (by_hand.balancer(), by_hand.tags(), by_hand.nodes()) == before
    notes = notes_of(run)
    assert f"Load balancer {BALANCER} and target group {GROUP} would be adopted." in notes
    assert "The host keys of" in notes and "would be adopted" in notes
    assert "enforce would change health_check.port of target group" in notes
    assert "enforce would change security_groups of load balancer" in notes
    assert "These nodes were not checked" in notes


def test_enforce_needs_an_adoption(by_hand: ByHand):
    run = by_hand.world.playbook("adopt", *ENFORCE)
    assert run.rc != 0
    assert "cluster ml has no adopted load balancer yet" in run.output
    assert mutating(by_hand.world) == []


def test_host_keys_shared_with_a_compute_node_are_refused(by_hand: ByHand):
    """As after an image that was made from a login node."""
    first, compute = by_hand.world.login_nodes()[0], by_hand.world.hosts("worker-group-1")[0]
    own = by_hand.root(compute, "cd /etc/ssh && tar c ssh_host_* | base64 -w 0")
    shared = by_hand.root(first, "cd /etc/ssh && tar c ssh_host_* | base64 -w 0")
    by_hand.root(compute, f"cd /etc/ssh && echo {shared} | base64 -d | tar x && systemctl reload ssh")
    by_hand.root(by_hand.world.login_nodes()[1], "useradd -u 6002 -M bob")
    before = (by_hand.balancer(), by_hand.tags(), by_hand.nodes())
    run = by_hand.world.playbook("adopt", *ADOPT)
    after = (by_hand.balancer(), by_hand.tags(), by_hand.nodes())
    by_hand.root(compute, f"cd /etc/ssh && echo {own} | base64 -d | tar x && systemctl reload ssh")
    trust = [name for name in parameters(by_hand.world) if name.endswith(compute["instance_id"])]
    by_hand.world.aws("ssm").delete_parameters(Names=trust)
    assert run.rc != 0
    (failure,) = run.cluster()["failures"]
    assert f"with nodes that are not login nodes: {compute['instance_id']}." in failure
    assert (after, by_hand.secrets()) == (before, [])


def parameters(world: World) -> list[str]:
    pages = world.aws("ssm").get_paginator("get_parameters_by_path").paginate(Path="/mlfleet", Recursive=True)
    return [each["Name"] for page in pages for each in page["Parameters"]]


def test_an_interrupted_adoption_is_resumed(by_hand: ByHand):
    """The first run adopts the host keys and is denied tagging; the next run only tags and records."""
    before = (by_hand.balancer(), by_hand.nodes())
    with step("a run that is denied tagging"):
        by_hand.world.fault(kind="deny", operation="AddTags")
        run = by_hand.world.playbook("adopt", *ADOPT)
        by_hand.world.clear_faults()
        assert run.rc != 0
        assert (len(by_hand.secrets()), by_hand.tags()) == (1, [TEAM_TAGS] * 2)
    with step("check mode"):
        by_hand.world.reset_calls()
        planned = by_hand.world.playbook("adopt", *ADOPT, "--check", "--diff")
        assert (planned.rc, planned.status, mutating(by_hand.world)) == (0, "changed", []), planned.log
    with step("adopt again"):
        run = by_hand.world.playbook("adopt", *ADOPT)
        assert run.rc == 0, run.log
        locking = {"PutParameter", "DeleteParameters"}
        assert set(mutating(by_hand.world)) - locking == {"AddTags"}
        assert [(tags["mlfleet.hyperpod/component"], tags["team"]) for tags in by_hand.tags()] == [
            ("login_balancer", "research")
        ] * 2
        assert (by_hand.balancer(), by_hand.nodes()) == before
        assert any(name.endswith("/records/adopted/balancer") for name in parameters(by_hand.world))
        second = by_hand.world.login_nodes()[1]["instance_id"]
        assert f"bob is declared with UID 20002 but has 6002 on {second}" in notes_of(run)
        assert f"enforce would be refused on {second}" in notes_of(run)
        assert "carol (UID 5003) is not declared" in notes_of(run)
        for private in by_hand.root(by_hand.world.login_nodes()[0], "cat /etc/ssh/ssh_host_ed25519_key").splitlines()[1:-1]:
            assert private not in run.output


def test_enforce_keeps_everything_that_people_use(by_hand: ByHand):
    world = by_hand.world
    by_hand.root(world.login_nodes()[1], "userdel bob")
    keys = [by_hand.root(node, "sha256sum /etc/ssh/ssh_host_*") for node in world.login_nodes()]
    before = (by_hand.balancer(), by_hand.nodes())
    with step("check mode"):
        world.reset_calls()
        planned = world.playbook("adopt", *ENFORCE, "--check", "--diff")
        assert (planned.rc, planned.status, mutating(world)) == (0, "changed", []), planned.log
        assert (by_hand.balancer(), by_hand.nodes()) == before
    with step("enforce while people work"):
        with subprocess.Popen(
            by_hand.ssh("cat"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as session:
            session.stdin.write("before\n")
            session.stdin.flush()
            assert session.stdout.readline() == "before\n"
            with visitors(world, "alice", pause=1, login=by_hand.login) as people:
                run = world.playbook("adopt", *ENFORCE)
            assert people.visits and people.refused == []
            assert run.rc == 0, run.log
            assert run.status == "changed", run.log
            assert session.communicate("after\n", timeout=20)[0] == "after\n"
    with step("everything works as before"):
        by_hand.all_healthy()
        by_hand.assert_people_work()
        assert world.login_name == by_hand.name
        assert [by_hand.root(node, "sha256sum /etc/ssh/ssh_host_*") for node in world.login_nodes()] == keys
        assert [balancer["LoadBalancerName"] for balancer in by_hand.elbv2.describe_load_balancers()["LoadBalancers"]] == [
            BALANCER
        ]
        (group,) = by_hand.target_group()["target group"]
        assert (group["TargetGroupName"], group["HealthCheckPort"]) == (GROUP, "223")
        assert serving(world) == {(node["ip"], 222) for node in world.login_nodes()}
        assert by_hand.nodes_group in by_hand.balancer()["load balancer"][0]["SecurityGroups"]
        assert world.login("bob", "id -u").stdout.strip() == "20002"
        assert by_hand.root(world.login_nodes()[0], "id -u carol") == "5003"

    with step("reconcile"):
        world.reset_calls()
        again = world.playbook("reconcile")
        assert (again.rc, again.changed, mutating(world)) == (0, 0, []), again.log


def serving(world: World) -> set[tuple[str, int]]:
    """Addresses and ports of targets that do not drain."""
    return {target for target, health in world.targets().items() if health != "draining"}


def test_teardown_restores_the_original_state(by_hand: ByHand):
    world = by_hand.world
    with step("teardown"):
        with visitors(world, "alice", pause=1, login=by_hand.login) as people:
            run = world.playbook("teardown", "-e", "teardown_confirm=ml")
        assert people.visits and people.refused == []
        assert run.rc == 0, run.log
    with step("the original state is back"):
        assert serving(world) == {(node["ip"], 22) for node in world.login_nodes()}
        with pytest.raises(OSError):
            socket.create_connection((world.login_nodes()[0]["ip"], 222), timeout=2)
        assert by_hand.tags() == [TEAM_TAGS] * 2
        assert by_hand.balancer()["load balancer"][0]["SecurityGroups"] == [by_hand.nodes_group]
        assert by_hand.target_group()["target group"][0]["HealthCheckPort"] == "traffic-port"
        by_hand.world.eventually(by_hand.all_healthy)
        by_hand.assert_people_work()


def test_a_balancer_without_security_groups_keeps_none(by_hand: ByHand):
    """AWS cannot add any: the nodes' group admits the ranges of its subnets instead, and the report states that."""
    with step("a balancer without groups"):
        by_hand.recreate_balancer(filtered=False)
        by_hand.assert_people_work()
    with step("adopt and enforce"):
        world = by_hand.world
        assert world.playbook("adopt", *ADOPT).rc == 0
        run = world.playbook("adopt", *ENFORCE)
        assert run.rc == 0, run.log
        assert "was created without security groups, and AWS can't add any" in notes_of(run)
    with step("it has none, and logins work"):
        (balancer,) = by_hand.balancer()["load balancer"]
        assert balancer["SecurityGroups"] == []
        by_hand.all_healthy()
        by_hand.assert_people_work()
        rules = world.aws("ec2").describe_security_group_rules()["SecurityGroupRules"]
        ours = [rule for rule in rules if any(tag["Key"] == "mlfleet.hyperpod/cluster" for tag in rule.get("Tags", []))]
        ranges = {(rule["FromPort"], rule.get("CidrIpv4")) for rule in ours if rule["GroupId"] == by_hand.nodes_group}
        assert ranges == {(port, cidr) for port in (222, 223) for cidr in ("10.1.1.0/24", "10.1.2.0/24")}
