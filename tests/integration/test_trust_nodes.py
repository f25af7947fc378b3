"""Trust in nodes: which nodes are trusted, which are not, and that no two nodes are ever confused."""

from __future__ import annotations

import itertools
import json
import typing as t
from pathlib import Path

import pytest
from harness import STATE_DIR, Run, World
from lab.cli import world as lab_world
from steps import step

pytestmark = pytest.mark.slow

ACCESS = str(Path(__file__).with_name("access.yml"))
REACH = str(Path(__file__).with_name("reach.yml"))
MARK = "/var/lib/mlfleet-hyperpod/disk-mark"
ADOPT = "account required pam_deny.so # pam_slurm_adopt"
TWIN = "twin"
counter = itertools.count()


@pytest.fixture(scope="module")
def known() -> World:
    """The first cluster with access to its nodes, and no other change. Tests leave every node trusted."""
    made = World()
    made.reset(login=2, compute=1)
    run = _access(made)
    assert run.rc == 0, run.log
    return made


@pytest.fixture
def twin(known: World) -> t.Iterator[World]:
    """A second cluster in another VPC with the same addresses."""
    ec2 = known.aws("ec2")
    tags = [{"ResourceType": "vpc", "Tags": [{"Key": "lab/reachable", "Value": "no"}]}]
    vpc = ec2.create_vpc(CidrBlock=lab_world.VPC_CIDR, TagSpecifications=tags)["Vpc"]["VpcId"]
    cidr, zone = lab_world.SUBNETS["lab-a"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="twin", Description="twin", VpcId=vpc)["GroupId"]
    lab_world.create_cluster(TWIN, [subnet], group, login=1, compute=0)
    lab_world.wait_in_service(TWIN)
    yield known
    known.aws("sagemaker").delete_cluster(ClusterName=TWIN)
    known.eventually(lambda: _expect_clusters(known, {"ml"}))


def test_known_nodes_need_no_session(known: World):
    known.reset_calls()
    run = _access(known)
    assert (run.rc, run.changed) == (0, 0), run.log
    assert _sessions(known) == 0
    env = _fresh_connections()
    assert _answers(known, env) == _machine_ids(known)
    assert _sessions(known) == len(known.hosts())
    started: list[list[str]] = []
    while [] not in started and len(started) < 4:  # one that breaks on a busy machine is reopened, and then reused
        known.reset_calls()
        assert _answers(known, env) == _machine_ids(known)
        started.append(_session_targets(known))
    assert [] in started, f"open connections must be reused: {started}\n{_logs_of_reopened(known, started)}"


@pytest.mark.parametrize("connection", ["jump", "direct"])
def test_nodes_are_reachable_by_other_connections(known: World, tmp_path: Path, connection: str):
    source = _source(tmp_path, connection)
    known.reset_calls()
    assert _answers(known, _fresh_connections(), "-i", source) == _machine_ids(known)
    assert _sessions(known) == (1 if connection == "jump" else 0)


def test_a_node_with_another_host_key_is_distrusted_until_replaced(known: World):
    """The same instance with another key is not trusted, whatever the environment sets; its replacement is."""
    with step("another host key"):
        node = known.login_nodes()[0]
        iid = node["instance_id"]
        recorded = _fingerprint(known, iid)
        known.on_node(iid, "sh", "-c", "rm /etc/ssh/ssh_host_*; ssh-keygen -A; systemctl restart ssh")
        seen = _fingerprint(known, iid)

    with step("a command"):
        env = {**_fresh_connections(), "ANSIBLE_HOST_KEY_CHECKING": "False", "ANSIBLE_SSH_RETRIES": "0"}
        done = known.run(["ansible", f"ml-{iid}", "-m", "ansible.builtin.ping"], env=env)
        assert done.returncode == 4 and "Host key verification failed" in done.stdout, done.stdout

    with step("runs"):
        for run in (_access(known, "-e", json.dumps({"node_access_recheck": [iid]})), _access(known, playbook=REACH)):
            assert (run.rc, run.cluster()["status"]) == (0, "degraded"), run.log
            printed = " ".join(run.output.split())
            assert f"Node {iid} (login-group) of cluster ml presents host key" in printed, run.log
            assert "is recorded for this disk" in printed, run.log
            assert recorded in printed and seen in printed, (recorded, seen, run.output)
            assert ("host-key-changed", iid) in {(each["code"], each["node"]) for each in run.cluster()["findings"]}

    with step("a replacement"):
        fresh = known.replace(iid)["instance_id"]
        run = _access(known)
        assert run.rc == 0, run.log
        assert f"node {fresh} (login-group): host keys recorded (no trust record)" in run.output
        assert _fingerprint(known, fresh) in run.output
        assert _answers(known, _fresh_connections()) == _machine_ids(known)


@pytest.mark.parametrize("connection", ["ssm", "jump"])
def test_twins_never_share_a_connection(twin: World, tmp_path: Path, connection: str):
    """Two clusters have the same addresses: each command must run on the right node."""
    source = _source(tmp_path, connection)
    run = _access(twin, "-i", source)
    assert run.rc == 0, run.log
    by_cluster = {cluster: {host["ip"] for host in hosts} for cluster, hosts in _by_cluster(twin).items()}
    assert len(by_cluster) == 2 and set.intersection(*by_cluster.values()), by_cluster
    env = _fresh_connections()
    for _again in range(2):  # over new connections, then over the open ones
        assert _answers(twin, env, "-i", source) == _machine_ids(twin)
    mark = ["-m", "copy", "-a", "content=twin dest=/root/twin"]
    done = twin.run(["ansible", "-i", source, f"cluster_{TWIN}:&hyperpod_nodes", *mark], env=env)
    assert done.returncode == 0, done.stdout
    marked = {host["instance_id"] for host in twin.hosts() if _disk(twin, host, "root/twin").exists()}
    assert marked == {host["instance_id"] for host in twin.hosts() if host["cluster_id"] == _cluster_id(twin)}


def test_changed_update_times_need_a_session_and_keep_the_trust(known: World):
    """A software update of compute nodes that the API reports as one of all nodes.

    The sessions also let the operations account pass pam_slurm_adopt; a line that denies everyone stands for it.
    """
    with step("nodes that refuse every login"):
        keys = {node["instance_id"]: _fingerprint(known, node["instance_id"]) for node in known.login_nodes()}
        for node in keys:
            shown = known.on_node(node, "stat", "-c", "%U %a %s", MARK).stdout
            assert shown.split() == ["root", "600", "33"], shown
            known.on_node(node, "sh", "-c", f"echo '{ADOPT}' >>/etc/pam.d/sshd")
        ping = ["ansible", f"ml-{min(keys)}", "-m", "ansible.builtin.ping"]
        refused = known.run(ping, env={**_fresh_connections(), "ANSIBLE_SSH_RETRIES": "0"})
        assert refused.returncode == 4, refused.stdout
    with step("an update of compute nodes"):
        known.settings(update_time="of_cluster")
        known.update_software("worker-group-1")
        known.settings(update_time="of_node")
    with step("access"):
        run = _access(known)
        assert run.rc == 0, run.log
        (worker,) = known.hosts("worker-group-1")
        notes = "\n".join(run.cluster()["notes"])
        assert f"node {worker['instance_id']} (worker-group-1): host keys recorded (its disk is new" in notes
        assert not [node for node in keys if f"node {node} " in notes], notes
        changed = {change["resource"]: change["after"] for change in run.cluster()["changes"]}
        for node, shown in keys.items():
            assert changed[f"access to {node} (login-group)"].startswith("its disk is the recorded one")
            assert _fingerprint(known, node) == shown
        assert _answers(known, _fresh_connections()) == _machine_ids(known)
    with step("access again"):
        again = _access(known)
        assert (again.rc, again.changed) == (0, 0), again.log


def _access(world: World, *arguments: str, playbook: str = ACCESS) -> Run:
    (STATE_DIR / "report.json").unlink(missing_ok=True)
    done = world.run(["ansible-playbook", playbook, *arguments])
    return Run(done.returncode, done.stdout, world.report(), 0)


def _source(folder: Path, connection: str) -> str:
    path = folder / "hyperpod.yml"
    path.write_text(
        "plugin: mlfleet.hyperpod.hyperpod\n"
        f"profile: lab\nregions: [us-west-2]\nconnection: {connection}\n"
    )
    return str(path)


def _fresh_connections() -> dict[str, str]:
    """An environment in which no connection of earlier tests is used."""
    return {"ANSIBLE_SSH_CONTROL_PATH_DIR": f"/run/lab/cp-trust-{next(counter)}"}


def _answers(world: World, env: dict[str, str], *arguments: str) -> dict[str, str]:
    """Machine ids that the nodes return, by instance id."""
    command = ["ansible", *arguments, "hyperpod_nodes", "-m", "command", "-a", "cat /etc/machine-id", "-o"]
    done = world.run(command, env=env)
    assert done.returncode == 0, done.stdout
    rows = [line.split(" | ") for line in done.stdout.splitlines() if " | CHANGED | " in line]
    return {"i-" + row[0].rpartition("-i-")[2]: row[-1].rpartition("(stdout) ")[2] for row in rows}


def _machine_ids(world: World) -> dict[str, str]:
    return {host["instance_id"]: _disk(world, host, "etc/machine-id").read_text().strip() for host in world.hosts()}


def _disk(world: World, host: dict[str, t.Any], path: str) -> Path:
    return world.paths.disks / host["instance_id"] / "root" / path


def _fingerprint(world: World, node: str) -> str:
    done = world.on_node(node, "ssh-keygen", "-lf", "/etc/ssh/ssh_host_ed25519_key.pub")
    return done.stdout.split()[1]


def _sessions(world: World) -> int:
    return len(_session_targets(world))


def _session_targets(world: World) -> list[str]:
    return [call["arguments"]["Target"] for call in world.calls() if call["operation"] == "StartSession"]


def _logs_of_reopened(world: World, started: list[list[str]]) -> str:
    """Logs of the proxy, and of sshd on the nodes whose connections were reopened."""
    proxy = STATE_DIR / "ssm-proxy.log"
    logs = [proxy.read_text() if proxy.exists() else "no proxy failed"]
    for node in sorted({"i-" + target.rpartition("-i-")[2] for targets in started for target in targets}):
        logs += [node, world.on_node(node, "journalctl", "--unit=ssh", "--lines=30", "--no-pager").stdout]
    return "\n".join(logs)


def _by_cluster(world: World) -> dict[str, list[dict[str, t.Any]]]:
    found: dict[str, list[dict[str, t.Any]]] = {}
    for host in world.hosts():
        found.setdefault(host["cluster_id"], []).append(host)
    return found


def _cluster_id(world: World) -> str:
    return world.aws("sagemaker").describe_cluster(ClusterName=TWIN)["ClusterArn"].rpartition("/")[2]


def _expect_clusters(world: World, names: set[str]) -> None:
    listed = world.aws("sagemaker").list_clusters()["ClusterSummaries"]
    assert {cluster["ClusterName"] for cluster in listed} == names
