"""Failures for tests: killed runs, held replies, silent nodes, locks of other machines."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import time
import typing as t
import uuid
from pathlib import Path

from harness import HOME, Run, World
from lab.kubernetes.front import Front

MARK = "LAB_TEST_RUN"
SILENCE = "systemctl stop ssh.socket ssh.service; loginctl terminate-user hyperpod-ops; pkill -u hyperpod-ops; true"
STUCK = 12  # more than the number of calls of one operation in a row
ALWAYS = 40  # more than the longest chain of killed runs


class Started:
    """A playbook, or ``argv``, that runs in the background. All processes that it starts on the controller carry its mark."""

    def __init__(
        self, world: World, verb: str, *arguments: str, state_dir: Path | None = None, argv: t.Sequence[str] | None = None
    ) -> None:
        self.world = world
        self.mark = uuid.uuid4().hex
        self.state_dir = state_dir
        self.begin = time.monotonic()
        self.log = HOME / f"{self.mark}.log"
        extra = {MARK: self.mark, **({"HYPERPOD_STATE_DIR": str(state_dir)} if state_dir else {})}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                argv or ["ansible-playbook", f"mlfleet.hyperpod.{verb}", *arguments],
                env={**os.environ, **extra},
                cwd=world.paths.repo,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """Kill the run with all its children at once, as when the machine loses power."""
        while carriers := self._carriers():
            for pid in carriers:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.process.wait(timeout=30)
        self.log.unlink()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the run and all its children, as a terminal does."""
        for pid in self._carriers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

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
    """Wait until the condition holds (returns true) or the run ends by itself (returns false)."""
    deadline = time.monotonic() + seconds
    while run.running():
        if condition():
            return True
        assert time.monotonic() < deadline, "the run did not end, and the condition did not become true"
        time.sleep(0.05)
    return False


def close_connections() -> None:
    """End the shared SSH connections, which outlive a run by ten minutes."""
    for socket in Path(os.environ["ANSIBLE_SSH_CONTROL_PATH_DIR"]).glob("*"):
        subprocess.run(["ssh", "-O", "exit", "-o", f"ControlPath={socket}", "x"], capture_output=True, check=False)


def held(world: World) -> list[dict[str, t.Any]]:
    return world.control.held()


def release(world: World) -> None:
    """Remove the rules first: the next call of a process that is being killed must not be held again."""
    world.clear_faults()
    world.control.release()


def killed_at_each(
    world: World, verb: str, places: dict[str, tuple[int, dict[str, t.Any]]], *arguments: str
) -> list[str]:
    """Kill run after run of a playbook, each when its next call in ``places`` took effect and before the reply arrives.

    Ends with the first run that completes; returns the places of the killed runs.
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
            assert done.rc == 0, done.log
            return died
        place = _place(world, held(world)[0]["sequence"], rules)
        run.kill()
        release(world)
        died.append(place)
        left[place] -= 1
        assert len(died) < ALWAYS, died


def killed_every(world: World, stride: int, first: int, verb: str, *arguments: str) -> list[str]:
    """Kill run after run of a playbook, each when so many changing calls took effect and before the last reply arrives.

    The calls of locks, which each run repeats, do not count. Ends with the first run that completes; returns the last calls of the
    killed runs.

    :param first: the number of calls of the first run.
    """
    died: list[str] = []
    while True:
        world.fault(kind="hold", besides=["ssm"], nth=stride if died else first)
        run = Started(world, verb, *arguments)
        if not run_until(run, lambda: bool(held(world)), seconds=600):
            release(world)
            done = run.end()
            assert done.rc == 0, f"after {died[-1:]}: {done.log}"
            return died
        died.append(held(world)[0]["operation"])
        run.kill()
        release(world)
        assert len(died) < STUCK or len(set(died[-STUCK:])) > 1, f"each run repeats {died[-1]}"


def killed_at_each_change(world: World, front: Front, verb: str, *arguments: str, **which: str) -> list[tuple[str, str, str]]:
    """Kill run after run of a playbook, each when its first change in Kubernetes took effect and before the reply arrives.

    Ends with the first run that completes; returns verb, resource and name of the changes of the killed runs.

    :param which: fields of ``Hold`` that select the changes.
    """
    died: list[tuple[str, str, str]] = []
    while True:
        front.hold(**which)
        run = Started(world, verb, *arguments)
        if not run_until(run, lambda: bool(front.held())):
            front.release()
            done = run.end()
            assert done.rc == 0, done.log
            return died
        died.append(front.held()[0].summary)
        run.kill()
        front.release()
        assert len(died) < ALWAYS, died


def _place(world: World, sequence: int, rules: dict[str, dict[str, t.Any]]) -> str:
    call = next(call for call in world.calls() if call["sequence"] == sequence)
    return next(
        place
        for place, rule in rules.items()
        if rule["operation"] == call["operation"]
        and all(call["arguments"].get(key) == value for key, value in rule.get("where", {}).items())
    )


@contextlib.contextmanager
def silent(world: World, node: str) -> t.Iterator[None]:
    """A node that does not answer: sshd is stopped, and open sessions of the operations account are ended."""
    world.on_node(node, "sh", "-c", SILENCE)
    try:
        yield
    finally:
        world.on_node(node, "systemctl", "start", "ssh.service")


@contextlib.contextmanager
def off(world: World, instance_id: str) -> t.Iterator[None]:
    """A node without power: nothing answers at its address, and HyperPod has not noticed yet."""
    world.control.power("off", instance_id)
    try:
        yield
    finally:
        world.control.power("on", instance_id)


@contextlib.contextmanager
def locked_elsewhere(world: World, cluster: str = "ml", *, key: str = "") -> t.Iterator[None]:
    """A run on another machine holds the cluster's lock.

    :param key: ``eks/NAME`` for an EKS cluster.
    """
    key = key or world.aws("sagemaker").describe_cluster(ClusterName=cluster)["ClusterArn"].rpartition("/")[2]
    now = datetime.datetime.now(datetime.timezone.utc)
    claim = {
        "owner": "ops@elsewhere",
        "token": "elsewhere/1",
        "host": "elsewhere",
        "place": "another-boot/1",
        "pid": 1,
        "started": 1,
        "acquired": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "expires": (now + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "released": False,
    }
    ssm, name = world.aws("ssm"), f"/mlfleet/hyperpod/{key}/lock/900"
    ssm.put_parameter(Name=name, Type="String", Value=json.dumps(claim))
    try:
        yield
    finally:
        ssm.delete_parameter(Name=name)
