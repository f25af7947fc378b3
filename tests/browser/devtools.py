# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser that a test controls with the Chrome DevTools protocol, over pipes. Its network namespace has no device."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import time
import typing as t
from pathlib import Path

from browser.chromium import PROGRAM

# The protocol uses file descriptors 3 and 4 of the browser; its other output is discarded.
_START = """
mount --bind "$2" "$1/mnt"
mount -t tmpfs tmpfs "$1/tmp"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" env HOME=/tmp "$3" --remote-debugging-pipe --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --no-first-run --user-data-dir=/tmp/profile about:blank 3<&0 4>&1 >&2 2>/dev/null </dev/null
"""
SECONDS = 30
"""Timeout of one reply."""
Event = dict[str, t.Any]


class BrowserError(Exception):
    """The browser rejected a command, or does not reply."""


class Browser:
    """One page of a browser: commands, and the events of the page."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.events: list[Event] = []
        self.session = ""
        self._last = 0
        self._read = b""

    def attach(self) -> None:
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.command(f"{domain}.enable")

    def command(self, method: str, **params: t.Any) -> Event:
        self._last += 1
        message = {"id": self._last, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        self.process.stdin.flush()
        while True:
            reply = self._next()
            if reply.get("id") == self._last:
                if "error" in reply:
                    raise BrowserError(f"{method}: {reply['error']['message']}")
                return reply["result"]

    def wait_for(self, method: str) -> Event:
        """The first event of the kind, also one since the page was opened."""
        while True:
            found = next((event for event in self.events if event["method"] == method), None)
            if found:
                return found
            self._next()

    def open(self, url: str) -> None:
        self.events.clear()
        self.command("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression: str) -> t.Any:
        """Value of a JavaScript expression on the page, as JSON; a promise is awaited."""
        found = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise BrowserError(found["exceptionDetails"]["exception"].get("description", "the expression fails"))
        return found["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def prefer(self, scheme: str, medium: str = "") -> None:
        self.command("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        taken = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))

    def complaints(self) -> list[str]:
        """Messages of the console, of the Content-Security-Policy and of scripts, so far."""
        self.evaluate("0")
        found = [event for event in self.events if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(event["params"]) for event in found]

    def requests(self) -> list[str]:
        self.evaluate("0")
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def _next(self) -> Event:
        """The next message; an event is also added to ``events``."""
        assert self.process.stdout is not None
        end = time.monotonic() + SECONDS
        while b"\0" not in self._read:
            ready = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))[0]
            part = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not part:
                raise BrowserError("the browser has ended" if ready else f"the browser sent nothing for {SECONDS} seconds")
            self._read += part
        one, _end, self._read = self._read.partition(b"\0")
        message = json.loads(one)
        if "method" in message:
            self.events.append(message)
        return message


@contextlib.contextmanager
def browser(root: Path, pages: Path) -> t.Iterator[Browser]:
    """A browser of the tree ``root``, in which the folder ``pages`` is ``file:///mnt``."""
    unshare = ["unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child", "--propagation", "private"]
    argv = [*unshare, "sh", "-eu", "-c", _START, "sh", str(root), str(pages), PROGRAM]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            found = Browser(process)
            found.attach()
            yield found
        finally:
            process.terminate()
