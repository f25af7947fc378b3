"""People who log in continuously, and the results of their logins."""

from __future__ import annotations

import collections
import itertools
import subprocess
import threading
import time
import typing as t

from harness import World
from visitors import judge

PAUSE = 0.5  # seconds between two logins: people share the processor with the run


class People:
    """A context in which alice and bob log in through the balancer, in turns."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._host = world.login_name
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._log_in_and_out, daemon=True)
        self._error: BaseException | None = None
        self.met: collections.Counter[str] = collections.Counter()
        self.strangers: list[float] = []
        """Times of logins with another host key, by the monotonic clock."""
        self.words: list[str] = []
        """Output of ssh for failed logins."""

    def __enter__(self) -> t.Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._enough.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _log_in_and_out(self) -> None:
        try:
            for person in itertools.cycle(("alice", "bob")):
                self._log_in(person)
                if self._enough.wait(PAUSE):
                    return
        except BaseException as error:  # raised where the test waits for the thread
            self._error = error

    def _log_in(self, person: str) -> None:
        """A login without an end, on a node that was stopped during the login, counts as refused."""
        try:
            done = self._world.login(person, "true", self._host)
            met, words = judge(done.returncode, done.stdout), done.stdout.strip()[-200:]
        except subprocess.TimeoutExpired as error:
            met, words = "refused", f"no end in {error.timeout:.0f} s"
        self.met[met] += 1
        if met == "met another host key":
            self.strangers.append(time.monotonic())
        if met != "served":
            self.words.append(f"{person}: {words}")

    def counted(self) -> str:
        counts = (f"{self.met[what]} {what}" for what in ("served", "refused", "met another host key"))
        return f"logins: {', '.join(counts)}"
