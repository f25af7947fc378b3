"""People who log in through the name again and again while the login nodes change."""

from __future__ import annotations

import contextlib
import json
import threading
import typing as t
from dataclasses import dataclass, field

from harness import HOME, World

STRANGER = ("HOST IDENTIFICATION HAS CHANGED", "Host key verification failed", "No matching host key")


def people(*others: dict[str, t.Any]) -> tuple[str, str]:
    """Arguments that declare the people of the lab's inventory and ``others``."""
    declared = [
        {
            "name": name,
            "uid": uid,
            "groups": ["research"],
            "comment": name.title(),
            "authorized_keys": [{"key": (HOME / "people" / name / "id_ed25519.pub").read_text().strip()}],
        }
        for name, uid in (("alice", 20001), ("bob", 20002))
    ]
    return "-e", json.dumps({"hyperpod_users": [*declared, *others]})


def judge(status: int, output: str) -> str:
    """Whether a login was served, refused, or met another host key."""
    if status == 0:
        return "served"
    return "met another host key" if any(word in output for word in STRANGER) else "refused"


@dataclass(frozen=True)
class Visit:
    """One login; ``draining`` has the addresses that drained when it began."""

    draining: frozenset[str]
    status: int
    shown: str


@dataclass
class Visitors:
    """Logins one after the other, and their results."""

    world: World
    login: t.Callable[[], t.Any]
    pause: float = 0
    visits: list[Visit] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def log_in_repeatedly(self) -> None:
        while not self.stopped.is_set():
            draining = frozenset(ip for ip, health in self.world.target_health().items() if health == "draining")
            done = self.login()
            self.visits.append(Visit(draining, done.returncode, done.stdout.strip()))
            self.stopped.wait(self.pause)

    @property
    def refused(self) -> list[Visit]:
        return [visit for visit in self.visits if visit.status != 0]

    @property
    def met_another_key(self) -> list[Visit]:
        return [visit for visit in self.visits if judge(visit.status, visit.shown) == "met another host key"]

    def let_in_while_draining(self, node: dict[str, t.Any]) -> list[Visit]:
        """Logins that reached a node although it drained."""
        return [visit for visit in self.visits if node["ip"] in visit.draining and visit.shown == node["name"]]


@contextlib.contextmanager
def visitors(
    world: World, person: str, *, pause: float = 0, login: t.Callable[[], t.Any] | None = None
) -> t.Iterator[Visitors]:
    """Log in until the end of the block, with so many seconds between two logins; ``login`` replaces the login through the name."""
    started = Visitors(world, login or (lambda: world.login(person, "hostname")), pause)
    thread = threading.Thread(target=started.log_in_repeatedly)
    thread.start()
    try:
        yield started
    finally:
        started.stopped.set()
        thread.join()


@contextlib.contextmanager
def slow_deregistration(world: World, seconds: float) -> t.Iterator[None]:
    """As on AWS: a deregistered target gets connections for a while, and a failed health check is not noticed sooner."""
    world.settings(deregistration_seconds=seconds, health_check_scale=seconds)
    try:
        yield
    finally:
        world.settings(deregistration_seconds=0, health_check_scale=0.05)
