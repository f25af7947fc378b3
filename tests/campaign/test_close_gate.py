# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gate on real nodes: what closes it between runs, who can bind its ports, floods of connections, and its earlier form."""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import threading
import time
import typing as t

import pytest
from gates import MINUTE, PEOPLE, RECORD, TAMPERED, answers, as_people, closed_and_opened, expect, sh
from harness import World
from lab.hosts import fsx
from mishaps import off
from steps import step
from visitors import people, visitors
from worlds import ready_world

TAKE_PORTS = """
import socket, time
end = time.time() + 600
while time.time() < end:
    for port in (222, 223):
        for family in (socket.AF_INET, socket.AF_INET6):
            taken = socket.socket(family, socket.SOCK_STREAM)
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                taken.bind(("", port))
                taken.listen()
                print(port, flush=True)
            except OSError as error:
                if error.errno != 13:
                    print(error, flush=True)
                taken.close()
    time.sleep(0.001)
"""


@pytest.fixture(scope="module")
def ready() -> World:
    return ready_world()


def test_people_log_in_on_nodes_with_an_open_gate(ready: World):
    for node in ready.login_nodes():
        expect(node, health=True, people=True)
        done = as_people(ready, node)
        assert done.stdout.strip() == node["name"], done.stdout
        sh(ready, node, "test -d /run/sshd")  # the logout left it to the sshd on port 22
        assert ready.login("alice", "true", node["ip"], "-o", f"HostKeyAlias={ready.login_name}").returncode == 0


@pytest.mark.parametrize("what", [name for name in TAMPERED if name != "a mount"])
def test_tampering_closes_the_gate_within_a_minute(ready: World, what: str):
    node, other = ready.login_nodes()[:2]
    # The sshd on port 22 still uses the key and the configuration that it has read, but the gate must stay closed.
    closed_and_opened(ready, node, what, other, stays=45 if what in ("a host key", "sshd") else 0)


def test_the_next_run_reports_that_the_node_closed_its_gate(ready: World):
    node = ready.login_nodes()[0]
    closed_and_opened(ready, node, "an account")
    run = ready.playbook("reconcile")
    assert (run.rc, run.changed, run.status) == (0, 0, "unchanged"), run.log
    assert "The node closed its gate itself at" in " ".join(run.cluster()["notes"]), run.cluster()["notes"]
    sh(ready, node, f"rm {RECORD}")


@pytest.mark.slow
def test_a_missing_mount_closes_the_gate_and_a_hanging_one_does_not(ready: World):
    node = ready.login_nodes()[0]
    spoil, _mend, problem = TAMPERED["a mount"]
    sh(ready, node, spoil)
    ready.eventually(lambda: expect(node, health=False, people=False), seconds=MINUTE)
    assert problem in sh(ready, node, f"cat {RECORD}")
    with off(ready, node["instance_id"]):
        pass  # the boot mounts it again
    ready.eventually(lambda: expect(node, health=True, people=True), seconds=2 * MINUTE)
    fsx.hang(ready.paths)
    try:
        ready.eventually(lambda: _logged_three_times(ready, node), seconds=3 * MINUTE)
        expect(node, health=True, people=True)
    finally:
        fsx.resume(ready.paths)


def _logged_three_times(world: World, node: dict[str, t.Any]) -> None:
    log = sh(world, node, "journalctl --unit=mlfleet-login-watch.service --boot --output=cat")
    assert log.count("/fsx does not answer") >= 3, log


def test_a_boot_opens_nothing_before_the_node_is_verified(ready: World):
    """Neither socket listens at boot, even if the gate was open before; the gate of a drained node stays closed."""
    node, drained = ready.login_nodes()[:2]
    with step("drain one node and tamper with another"):
        done = ready.playbook("drain", "-e", f"drain_nodes={drained['instance_id']}", "-e", "drain_reason=fans")
        assert done.rc == 0, done.output
        sh(ready, node, TAMPERED["an account"][0])
    with step("boot"):
        with off(ready, node["instance_id"]), off(ready, drained["instance_id"]):
            pass
        for each in (node, drained):
            ready.eventually(lambda each=each: _true(answers(each, 22)), seconds=MINUTE)
        end = time.monotonic() + 45
        while time.monotonic() < end:
            expect(node, health=False, people=False)
            time.sleep(0.5)
    with step("undo the tampering"):
        sh(ready, node, TAMPERED["an account"][1])
        ready.eventually(lambda: expect(node, health=True, people=True), seconds=MINUTE)
        expect(drained, health=False, people=False)
    with step("undrain"):
        assert ready.playbook("undrain", "-e", f"undrain_nodes={drained['instance_id']}").rc == 0
        expect(drained, health=True, people=True)


@pytest.mark.slow
def test_a_user_cannot_bind_the_ports(ready: World):
    """The user tries continuously, while the gate closes and opens and while accounts change."""
    node = ready.login_nodes()[0]
    command = [*ready.ssh_command("bob", node["ip"], "-o", f"HostKeyAlias={ready.login_name}"), "python3 -u -"]
    waiting = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    waiting.stdin.write(TAKE_PORTS)
    waiting.stdin.close()
    try:
        sh(ready, node, "systemctl stop mlfleet-login-ready.socket 'mlfleet-login-people@*.socket'")
        ready.eventually(lambda: expect(node, health=True, people=True), seconds=MINUTE)
        with visitors(ready, "alice", pause=0.5) as coming:
            added = ready.playbook("login_access", *people({"name": "carol", "uid": 20003}))
            gone = ready.playbook("login_access", *people({"name": "carol", "uid": 20003, "state": "absent"}))
        assert (added.rc, added.status) == (0, "changed"), added.log
        assert (gone.rc, gone.status) == (0, "changed"), gone.log
        assert coming.visits and coming.refused == []
        expect(node, health=True, people=True)
        assert waiting.poll() is None
    finally:
        waiting.kill()
        ready.on_node(node["name"], "pkill", "-u", "bob", "python3")
    assert waiting.stdout.read() == ""


def test_a_flood_of_connections_does_not_block_port_22(ready: World):
    """While connections without a login last, people are refused, but operations are not. Afterwards everything works."""
    node = ready.login_nodes()[0]
    limit = "/etc/systemd/system/mlfleet-login-people@.socket.d"
    sh(ready, node, f"mkdir {limit} && printf '[Socket]\nMaxConnections=60\n' >{limit}/few.conf && systemctl daemon-reload")
    flood: list[socket.socket] = []
    try:
        for _number in range(120):
            with contextlib.suppress(OSError):
                flood.append(socket.create_connection((node["ip"], PEOPLE), timeout=5))
        assert as_people(ready, node).returncode == 255
        for _turn in range(5):
            done = ready.login("alice", "hostname", node["ip"], "-o", f"HostKeyAlias={ready.login_name}")
            assert done.stdout.strip() == node["name"], done.stdout
        reached = ready.run(["ansible", f"ml-{node['instance_id']}", "-m", "ansible.builtin.ping"])
        assert reached.returncode == 0, reached.stdout
    finally:
        for connection in flood:
            connection.close()
        sh(ready, node, f"rm -r {limit} && systemctl daemon-reload")
    ready.eventually(lambda: expect(node, health=True, people=True), seconds=2 * MINUTE)
    ready.eventually(lambda: _true(as_people(ready, node).stdout.strip() == node["name"]), seconds=MINUTE)


def test_a_match_block_that_blocks_the_people_port_takes_the_node_out_of_service(ready: World):
    node = min(ready.login_nodes(), key=lambda each: each["instance_id"])
    block = "/etc/ssh/sshd_config.d/00-site.conf"
    sh(ready, node, f"printf 'Match LocalPort {PEOPLE}\\n    PubkeyAuthentication no\\nMatch all\\n' >{block}")
    try:
        run = ready.playbook("login_access", "-e", "login_nodes_client_alive_interval=61")
    finally:
        sh(ready, node, f"rm {block}")
    assert (run.rc, run.status) == (0, "degraded"), run.log
    assert f"people_port: on port {PEOPLE} sshd would use 'no' instead of 'yes' for pubkeyauthentication" in run.output
    expect(node, health=False, people=False)
    again = ready.playbook("login_access")
    assert (again.rc, again.status) == (0, "changed"), again.log
    expect(node, health=True, people=True)


OLD_SOCKET = """[Socket]
ExecStartPre=/bin/true
ListenStream=2022
Accept=yes
"""
OLD_BOOT = """[Service]
Type=oneshot
ExecStart=/bin/systemctl start mlfleet-login-ready.socket
[Install]
WantedBy=multi-user.target
"""


@pytest.mark.slow
def test_a_gate_of_the_earlier_form_is_converted_without_being_closed(ready: World):
    """Port 2022, which the health check still uses, accepts connections during the whole conversion."""
    with step("install the earlier form"):
        node = ready.login_nodes()[0]
        units = "/etc/systemd/system"
        sh(
            ready,
            node,
            f"systemctl disable --now mlfleet-login-watch.timer; systemctl stop mlfleet-login-ready.socket 'mlfleet-login-people@*.socket'; "
            f"rm {units}/mlfleet-login-watch.* {units}/mlfleet-login-people@*; "
            f"printf '%s' '{OLD_SOCKET}' >{units}/mlfleet-login-ready.socket; "
            f"printf '%s' '{OLD_BOOT}' >{units}/mlfleet-login-ready-boot.service; systemctl daemon-reload; "
            "systemctl enable mlfleet-login-ready-boot.service; systemctl start mlfleet-login-ready.socket",
        )
        elbv2 = ready.aws("elbv2")
        arn = elbv2.describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]
        elbv2.modify_target_group(TargetGroupArn=arn, HealthCheckPort="2022")
        _admit(ready, 2022)
    with step("login_access during probes of port 2022"):
        probes: list[tuple[bool, float]] = []
        over = threading.Event()

        def probe() -> None:
            while not over.wait(0.1):
                probes.append((answers(node, 2022), time.monotonic()))

        probing = threading.Thread(target=probe)
        probing.start()
        try:
            run = ready.playbook("login_access")
        finally:
            over.set()
            probing.join()
        assert (run.rc, run.status) == (0, "changed"), run.log
        interval = elbv2.describe_target_groups()["TargetGroups"][0]["HealthCheckIntervalSeconds"]
        alike = [list(turn) for _answer, turn in itertools.groupby(probes, key=lambda each: each[0])]
        refused = [turn[-1][1] - turn[0][1] for turn in alike if not turn[0][0]]
        assert max(refused, default=0) < interval, "two consecutive health checks could have failed"
        assert len(probes) > 50 and answers(node, 2022)
        expect(node, health=True, people=True)
        assert "mlfleet-login-ready-boot" not in sh(ready, node, f"ls {units} {units}/multi-user.target.wants")
    with step("login_access again"):
        after = ready.playbook("login_access")
        assert (after.rc, after.status) == (0, "changed"), after.log
        expect(node, health=True, people=True)
        assert not answers(node, 2022)


def _admit(world: World, port: int) -> None:
    """Add the rule of the earlier port, with the same tags as the rule for the health check's port."""
    ec2 = world.aws("ec2")
    rules = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [world.node_security_group()]}])
    (like,) = [rule for rule in rules["SecurityGroupRules"] if not rule["IsEgress"] and rule["FromPort"] == 223]
    ec2.authorize_security_group_ingress(
        GroupId=like["GroupId"],
        IpPermissions=[
            {
                "IpProtocol": "tcp",
                "FromPort": port,
                "ToPort": port,
                "UserIdGroupPairs": [{"GroupId": like["ReferencedGroupInfo"]["GroupId"]}],
            }
        ],
        TagSpecifications=[{"ResourceType": "security-group-rule", "Tags": like["Tags"]}],
    )


def _true(found: bool) -> None:
    assert found
