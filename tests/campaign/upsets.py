"""Mishaps of a cluster between two runs of reconcile, and troubles of the run that heals it."""

from __future__ import annotations

import contextlib
import json
import random
import typing as t
from dataclasses import dataclass

from harness import World
from lab.cli import world as lab_world
from mishaps import Started, run_until

DROP_IN = "/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf"
STRAY = "10.1.1.200"
CLOSE = "! systemctl cat mlfleet-login-ready.socket || systemctl stop mlfleet-login-ready.socket"  # a blank node has no gate
PEOPLE = 222  # the port of login nodes for people
LOGIN_NODES = 3
OPERATIONS, KEYS, STATE = "hyperpod-ops", "/etc/ssh/authorized_keys.d", "/var/lib/mlfleet-hyperpod"
CLOCK = "/usr/lib/python3/dist-packages/lab_clock.pth"
Mend = t.Callable[[], None]
Act = t.Callable[[World, random.Random], "Mend | None"]
"""Returns a function that undoes a lasting fault."""


@dataclass(frozen=True)
class Upset:
    """A mishap."""

    name: str
    act: Act
    felt: bool = False
    """Logins may be refused until reconcile has run."""
    another_key: bool = False
    """A login node may present an unknown host key until its gate has closed."""
    out: int = 0
    """Number of login nodes out of service. If none is left, logins are refused but meet no other host key."""
    cuts: int = 0
    """Number of logins that it may interrupt although other nodes serve: those to a node that disappears."""
    heals: bool = False
    """The node's own watcher repairs or ignores it within a minute, so a run may find nothing to change."""
    lasts: bool = False
    """No run can repair it. The node may be out of service as long as it lasts."""


def _login_node(world: World, chance: random.Random) -> dict[str, t.Any]:
    return chance.choice(world.login_nodes())


def _on_login_node(script: str) -> Act:
    def act(world: World, chance: random.Random) -> None:
        done = world.on_node(_login_node(world, chance)["instance_id"], "sh", "-euc", script)
        assert done.returncode == 0, done.stdout

    return act


def _lasting(spoil: str, mend: str) -> Act:
    """A lasting fault on one login node. A node that was replaced in the meantime needs no repair."""

    def act(world: World, chance: random.Random) -> Mend:
        node = _login_node(world, chance)
        done = world.on_node(node["instance_id"], "sh", "-euc", spoil)
        assert done.returncode == 0, done.stdout

        def mended() -> None:
            if any(each["pid"] == node["pid"] for each in world.hosts()):
                done = world.on_node(node["instance_id"], "sh", "-euc", mend)
                assert done.returncode == 0, done.stdout

        return mended

    return act


def _replace(group: str) -> Act:
    def act(world: World, chance: random.Random) -> None:
        world.settings(replace_ip=chance.choice(("same", "new")))
        world.replace(chance.choice(world.hosts(group))["instance_id"])

    return act


def _update(*groups: str) -> Act:
    def act(world: World, chance: random.Random) -> None:
        wanted = {"InstanceGroups": [{"InstanceGroupName": group} for group in groups]} if groups else {}
        before = _boots(world, groups)
        world.aws("sagemaker").update_cluster_software(ClusterName=lab_world.CLUSTER, **wanted)
        world.eventually(lambda: _expect(not set(_boots(world, groups)) & set(before)), seconds=120)
        lab_world.wait_in_service(lab_world.CLUSTER)

    return act


def _boots(world: World, groups: t.Collection[str]) -> list[int]:
    """First process IDs of the machines, which change with an update."""
    return [node["pid"] for node in world.hosts() if not groups or node["group"] in groups]


def _expect(held: bool) -> None:
    assert held


def _target_group(world: World) -> str:
    return world.aws("elbv2").describe_target_groups()["TargetGroups"][0]["TargetGroupArn"]


def _stray(world: World, _chance: random.Random) -> None:
    world.aws("elbv2").register_targets(TargetGroupArn=_target_group(world), Targets=[{"Id": STRAY, "Port": PEOPLE}])


def _deregister(world: World, chance: random.Random) -> None:
    target = {"Id": _login_node(world, chance)["ip"], "Port": PEOPLE}
    world.aws("elbv2").deregister_targets(TargetGroupArn=_target_group(world), Targets=[target])


def _garble(world: World, chance: random.Random) -> None:
    node = _login_node(world, chance)
    name = f"/mlfleet/hyperpod/{node['cluster_id']}/trust/{node['instance_id']}"
    text = chance.choice(("{", "null", json.dumps({"keys": 1})))
    world.aws("ssm").put_parameter(Name=name, Value=text, Type="String", Overwrite=True)


UNITS = "/etc/systemd/system/mlfleet-login-*"
FULL = f"""
for folder in /etc {STATE}; do
    copy=/run/lab-full$folder
    mkdir -p $copy
    mount -t tmpfs -o size=$(($(du -sk $folder | cut -f1) * 2 + 4096))k,mode=0755 lab-full $copy
    cp -a $folder/. $copy/
    dd if=/dev/zero of=$copy/.full bs=4k 2>/dev/null || true
    mount --bind $copy $folder
done
"""
NOT_FULL = f"for folder in /etc {STATE}; do umount -l $folder; umount -l /run/lab-full$folder; done; systemctl daemon-reload"
UNMOUNTED = "umount -l /etc; systemctl daemon-reload"
OF_OPERATIONS = (
    Upset("the folder of keys is gone", _on_login_node(f"rm -rf {KEYS}"), felt=True),
    Upset(
        "the folder of keys is garbled",
        _on_login_node(f"mkdir -p {KEYS}; for f in $(ls {KEYS}); do echo lies >{KEYS}/$f; done; chmod -R 777 {KEYS}"),
        felt=True,
    ),
    Upset("the home of operations is gone", _on_login_node(f"rm -rf /var/lib/{OPERATIONS}")),
    Upset("the home of operations is garbled", _on_login_node(f"cd /var/lib/{OPERATIONS}; : >.ssh/authorized_keys; chmod 777 . .ssh")),
    Upset("the sudo rule of operations is gone", _on_login_node(f"rm -f /etc/sudoers.d/{OPERATIONS}")),
    Upset("the sudo rule of operations is garbled", _on_login_node(f"echo '!nonsense' >/etc/sudoers.d/{OPERATIONS}")),
    Upset("operations may not log in", _on_login_node(f"! id {OPERATIONS} || usermod -s /usr/sbin/nologin -e 1 {OPERATIONS}")),
    Upset("the account of operations is gone", _on_login_node(f"! id {OPERATIONS} || userdel --force {OPERATIONS} || true")),
)
OF_FILES = (
    Upset("our units are gone", _on_login_node(f"rm -f {UNITS}; systemctl daemon-reload"), felt=True),
    Upset("our units are garbled", _on_login_node(f"for f in {UNITS}; do echo '[No' >$f; done; systemctl daemon-reload"), felt=True),
    Upset("our state is gone", _on_login_node(f"rm -rf {STATE}"), felt=True),
    Upset("our state is garbled", _on_login_node(f"for f in {STATE}/*; do [ -d $f ] || echo lies >$f; done"), felt=True),
    Upset("our files in /run are gone", _on_login_node("rm -rf /run/mlfleet*")),
    Upset("our files in /run are garbled", _on_login_node("echo lies | tee /run/mlfleet-hyperpod-hold >/run/mlfleet-hyperpod.lock")),
    Upset("the watcher is paused for ever", _on_login_node("echo 99999999999 >/run/mlfleet-hyperpod-hold"), heals=True),
)
LASTING = (
    Upset("a disk is full", _lasting(FULL, NOT_FULL), felt=True, out=1, lasts=True),
    Upset("/etc is read-only", _lasting("mount --bind /etc /etc; mount -o remount,bind,ro /etc", UNMOUNTED), felt=True, out=1, lasts=True),
    Upset(
        "a clock is an hour off",  # as programs in Python see it, ours among them
        _lasting(f"echo 'import time; _now = time.time; time.time = lambda: _now() + 3600' >{CLOCK}", f"rm -f {CLOCK}"),
        felt=True,
        out=1,
        lasts=True,
    ),
)
UPSETS = (
    *OF_OPERATIONS,
    *OF_FILES,
    *LASTING,
    Upset("a login node is replaced", _replace("login-group"), out=1, cuts=1),
    Upset("a compute node is replaced", _replace("worker-group-1")),
    Upset("the login nodes get new software", _update("login-group"), felt=True, out=LOGIN_NODES),
    Upset("all nodes get new software", _update(), felt=True, out=LOGIN_NODES),
    Upset("a host key is gone", _on_login_node("rm -f /etc/ssh/ssh_host_ed25519_key"), felt=True),
    Upset(
        "a host key is changed",
        _on_login_node("cd /etc/ssh; ssh-keygen -q -t ed25519 -N '' -f other; mv other ssh_host_ed25519_key; rm other.pub"),
        felt=True,
        another_key=True,
    ),
    Upset("the drop-in of sshd is gone", _on_login_node(f"rm -f {DROP_IN}; systemctl reload ssh"), felt=True),
    Upset(
        "the drop-in of sshd is changed",
        _on_login_node(f"echo 'MaxAuthTries 1' >>{DROP_IN}; systemctl reload ssh"),
        felt=True,
    ),
    Upset("an account is gone", _on_login_node("! id bob || { pkill -KILL -u bob || true; userdel --force bob; }"), felt=True),
    Upset("an account has lost its group", _on_login_node("! getent group research || gpasswd --delete alice research")),
    Upset("the keys of alice are gone", _on_login_node("rm -f /etc/ssh/authorized_keys.d/alice"), felt=True),
    Upset("the keys of bob are changed", _on_login_node("mkdir -p /etc/ssh/authorized_keys.d; : >/etc/ssh/authorized_keys.d/bob"), felt=True),
    Upset("a gate is closed", _on_login_node(CLOSE), out=1, heals=True),
    Upset("an unknown address is a target", _stray),
    Upset("a login node is no target", _deregister, out=1),
    Upset("a trust record is garbled", _garble),
)


# -- what happens to the run that heals ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trouble:
    """A disturbance of a run."""

    name: str
    rules: tuple[dict[str, t.Any], ...] = ()
    killed: bool = False

    @contextlib.contextmanager
    def during(self, world: World, chance: random.Random) -> t.Iterator[None]:
        if self.killed:
            _kill_one(world, after_calls=chance.randint(5, 60))
        for rule in self.rules:
            world.fault(**rule, seed=chance.randrange(1000))
        try:
            yield
        finally:
            world.clear_faults()


def _kill_one(world: World, *, after_calls: int) -> None:
    world.reset_calls()
    run = Started(world, "reconcile")
    if run_until(run, lambda: len(world.calls()) >= after_calls):
        run.kill()
    else:
        run.end()


TROUBLES = (
    Trouble("a calm run"),
    Trouble("a run that is throttled", ({"kind": "throttle", "probability": 0.3},)),
    Trouble("a run with failing calls", ({"kind": "error500", "probability": 0.1},)),
    Trouble("a run with lost replies", ({"kind": "cut_after", "probability": 0.1},)),
    Trouble("a run after one that was killed", killed=True),
)
