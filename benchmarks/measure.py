"""The measurements. Runs inside a lab; each function yields rows of (what, figure)."""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import typing as t
from pathlib import Path
from unittest import mock

from lab.aws.control.client import Control
from lab.cli import world

HERE = Path(__file__).resolve().parent
INVENTORY = HERE.parent / "inventories" / "lab" / "hyperpod.yml"
Rows = t.Iterator["tuple[str, str]"]

USERS = 200
KNOWN_HOSTS = Path.home() / ".mlfleet" / "hyperpod" / "known_hosts"
CLUSTERS, NODES = 20, 250


class Took(float):
    """Seconds on the clock, with the CPU seconds, which are more meaningful on a busy machine."""

    processor: float = 0.0


def run(argv: t.Sequence[str], **environment: str) -> tuple[Took, str]:
    """Time and output of a command that must succeed."""
    begin, busy = time.monotonic(), processor_seconds()
    done = subprocess.run(
        list(argv),
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(argv)} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    took = Took(time.monotonic() - begin)
    took.processor = processor_seconds() - busy
    return took, done.stdout


def processor_seconds() -> float:
    """CPU seconds of the commands so far, without the machines of the lab and the simulated API."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def changed(output: str) -> int:
    return sum(int(count) for count in re.findall(r"changed=(\d+)", output))


def seconds(value: float) -> str:
    return f"{value:.1f} s (processor {value.processor:.1f} s)" if isinstance(value, Took) else f"{value:.1f} s"


# -- a reconcile without changes -------------------------------------------------------------------------------------


def reconcile() -> Rows:
    """The whole login side: three login nodes, a controller, two compute nodes, two people, the balancer."""
    control = Control()
    took, _out = run(["ansible-playbook", "mlfleet.hyperpod.login_access"])
    yield "first run of login_access on a bare cluster of 6 nodes", seconds(took)
    for what in ("as a timer would, no connection open", "connections still open"):
        if what.startswith("as a timer"):
            close_connections()
        control.reset_calls()
        took, output = run(["ansible-playbook", "mlfleet.hyperpod.reconcile"])
        calls = control.calls()
        if changed(output) or any(call["mutating"] for call in calls):
            sys.exit(f"this reconcile must change nothing:\n{output[-3000:]}")
        yield f"reconcile without a change, {what}", f"{seconds(took)}, {count(calls)}"
    close_connections()
    command = ["ansible-playbook", "mlfleet.hyperpod.reconcile", "-e", "hyperpod_full_look_minutes=10080"]
    for what in ("full look, which it records", "AWS APIs only"):
        control.reset_calls()
        took, output = run(command)
        if ("AWS only" in output) != what.startswith("AWS"):
            sys.exit(f"this reconcile must be of the kind '{what}':\n{output[-3000:]}")
        yield f"reconcile without a change, {what}", f"{seconds(took)}, {count(control.calls())}"


def close_connections() -> None:
    """Close the shared SSH connections, which outlive a run by ten minutes."""
    for socket in Path(os.environ["ANSIBLE_SSH_CONTROL_PATH_DIR"]).glob("*"):
        subprocess.run(["ssh", "-O", "exit", "-o", f"ControlPath={socket}", "x"], capture_output=True, check=False)


def count(calls: t.Sequence[dict[str, t.Any]]) -> str:
    services = collections.Counter(call["service"] for call in calls)
    return f"{len(calls)} AWS calls ({', '.join(f'{service} {n}' for service, n in services.most_common())})"


# -- accounts --------------------------------------------------------------------------------------------------------


def accounts(*, loop_users: int) -> Rows:
    """Our module and the usual loops, one after the other on the same three nodes."""
    if not KNOWN_HOSTS.exists():  # this case runs alone, so the nodes have no accounts yet
        run(["ansible-playbook", "mlfleet.hyperpod.login_access"])
    rest, _out = play("empty", [])
    ours_few = twice("ours", people("few", 20, 40000))
    ours = twice("ours", people("ours", USERS, 41000))
    loop = twice("loop", people("loop", loop_users, 42000))
    yield "a play that does nothing on the 3 nodes", seconds(rest)
    for number, which in enumerate(("first run", "second run")):
        per_user = (loop[number] - rest) / loop_users
        usual = rest + per_user * USERS
        measured = "" if loop_users == USERS else f", from {loop_users} users in {seconds(loop[number])}"
        yield f"accounts, {USERS} users, {which}: ours", seconds(ours[number])
        yield f"accounts, {USERS} users, {which}: user + authorized_key in loops", f"{seconds(usual)}{measured}"
        yield f"accounts, {USERS} users, {which}: ratio", f"{usual / ours[number]:.0f} times"
        yield f"ours with 20 users, {which}", seconds(ours_few[number])


def twice(playbook: str, users: list[dict[str, t.Any]]) -> tuple[Took, Took]:
    first, _out = play(playbook, users)
    second, output = play(playbook, users)
    if changed(output):
        sys.exit(f"the second run of {playbook} must change nothing:\n{output[-3000:]}")
    return first, second


def play(playbook: str, users: list[dict[str, t.Any]]) -> tuple[Took, str]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as variables:
        json.dump({"people": users}, variables)
        variables.flush()
        return run(
            ["ansible-playbook", str(HERE / "playbooks" / f"{playbook}.yml"), "--extra-vars", f"@{variables.name}"],
            ANSIBLE_INVENTORY=str(INVENTORY),
        )


def people(prefix: str, number: int, first_uid: int) -> list[dict[str, t.Any]]:
    return [
        {
            "name": f"{prefix}{index:03d}",
            "uid": first_uid + index,
            "home": f"/home/{prefix}{index:03d}",
            "authorized_keys": [{"key": public_key(f"{prefix}{index}")}],
        }
        for index in range(number)
    ]


def public_key(seed: str) -> str:
    """A line of the right form, without a private key."""
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + hashlib.sha256(seed.encode()).digest()
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} {seed}"


# -- inventory -------------------------------------------------------------------------------------------------------


def inventory() -> Rows:
    """A separate simulated API whose nodes are records; it has no latency, so calls are more meaningful than seconds."""
    sys.path[:0] = [str(HERE.parent / "tests"), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from simulated import simulator

    with tempfile.TemporaryDirectory() as folder, simulator(Path(folder)) as url:
        with mock.patch.dict(os.environ, AWS_ENDPOINT_URL=url):
            fill(url)
        source = Path(folder) / "bench.hyperpod.yml"
        source.write_text("plugin: mlfleet.hyperpod.hyperpod\nprofile: lab\nregions: [us-west-2]\n")
        control = Control(url)
        control.reset_calls()
        took, output = run(
            ["ansible-inventory", "-i", str(source), "--list"],
            AWS_ENDPOINT_URL=url,
            ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="1",
        )
        hosts = len(json.loads(output)["hyperpod_nodes"]["hosts"])
        if hosts != CLUSTERS * NODES:
            sys.exit(f"the inventory has {hosts} nodes")
        operations = collections.Counter(call["operation"] for call in control.calls())
        counts = ", ".join(f"{name} {n}" for name, n in operations.most_common())
        total = f"{sum(operations.values())} calls ({counts})"
        yield f"inventory of {CLUSTERS} clusters, {hosts} nodes", f"{seconds(took)}, {total}"


def fill(url: str) -> None:
    Control(url).settings(max_nodes=CLUSTERS * NODES)
    ec2 = world.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/16", AvailabilityZone="us-west-2a")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    for number in range(CLUSTERS):
        world.create_cluster(f"bench-{number:02d}", [subnet], group, login=3, compute=NODES - 4)
    for number in range(CLUSTERS):
        world.wait_in_service(f"bench-{number:02d}")
