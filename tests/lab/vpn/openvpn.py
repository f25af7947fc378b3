# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An openvpn server in a network namespace, and the events of its management socket."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from lab.names import LabError
from lab.net import processes
from lab.vpn.configuration import SOCKET

START_SECONDS = 15
RESTART_SECONDS = 0.2  # to tell clients to reconnect
# openvpn and its libraries come from the hosts' image; its /tmp becomes the folder of this process.
ENTER = """\
mount --bind "$0" "$1/tmp" && mount -t tmpfs none "$1/dev" && mkdir "$1/dev/net" &&
mknod "$1/dev/net/tun" c 10 200 && mknod "$1/dev/null" c 1 3 && mknod "$1/dev/urandom" c 1 9 &&
exec chroot "$1" /usr/sbin/openvpn --cd /tmp --config server.conf
"""
Notify = Callable[[str, str, Mapping[str, str]], None]


class OpenVpn:
    """Starts on construction. ``notify`` gets (event, client ID, variables), in any thread.

    Events: ESTABLISHED, BYTES, DISCONNECT. At the end of the process each remaining client gets a
    DISCONNECT.
    """

    def __init__(self, *, folder: Path, image: Path, netns: str, files: Mapping[str, str], notify: Notify) -> None:
        self.folder = folder
        self.files = dict(files)
        self._notify = notify
        self._lock = threading.Lock()
        self._clients: set[str] = set()
        self._ready = threading.Event()
        self._socket = socket.socket(socket.AF_UNIX)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in files.items():
            (folder / name).touch(mode=0o600)
            (folder / name).write_text(text, encoding="ascii")
        with open(folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", netns, "sh", "-c", ENTER, str(folder), str(image)],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},  # a TMPDIR of the lab does not exist there
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._attach()

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def kill_client(self, client: str) -> None:
        """End a client's tunnel and let it reconnect. OpenVPN itself keeps the client for a moment."""
        self._send(f"client-kill {client}")
        self._disconnected(client, {})

    def stop(self) -> None:
        """Tell all clients to reconnect, then end the process."""
        with contextlib.suppress(OSError):
            for client in self._known():
                self.kill_client(client)
            time.sleep(RESTART_SECONDS)
        if self.running:
            processes.end(self.process)
        self._reader.join(5)

    def _attach(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._connected():
            if not self.running or time.monotonic() > deadline:
                self._give_up()
            time.sleep(0.02)
        self._reader = threading.Thread(target=self._read, name=f"openvpn-{self.folder.name}", daemon=True)
        self._reader.start()
        for command in ("state on", "bytecount 1", "hold release"):
            self._send(command)
        while not self._ready.wait(0.05):
            if not self.running or time.monotonic() > deadline:
                self._give_up()

    def _connected(self) -> bool:
        # A Unix socket's path may have 108 characters, and folders of labs can be deeper than that.
        directory = os.open(self.folder, os.O_PATH)
        try:
            self._socket.connect(f"/proc/self/fd/{directory}/{SOCKET}")
            return True
        except OSError:
            return False
        finally:
            os.close(directory)

    def _give_up(self) -> None:
        self.process.kill()
        self.process.wait()
        log = (self.folder / "log").read_text(errors="replace")[-500:]
        raise LabError(f"openvpn in {self.folder} did not start: {log}")

    def _send(self, command: str) -> None:
        self._socket.sendall(command.encode() + b"\n")

    def _read(self) -> None:
        """Follow the socket until the process ends it."""
        event: tuple[str, list[str]] | None = None
        variables: dict[str, str] = {}
        with contextlib.suppress(OSError), self._socket.makefile("r", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                kind, _sign, rest = line.strip().partition(":")
                if kind == ">STATE" and ",CONNECTED," in rest:
                    self._ready.set()
                elif kind == ">BYTECOUNT_CLI":
                    client, received, sent = rest.split(",")
                    self._notify("BYTES", client, {"bytes_received": received, "bytes_sent": sent})
                elif kind == ">CLIENT" and rest == "ENV,END" and event:
                    self._client(event[0], event[1], variables)
                elif kind == ">CLIENT" and rest.startswith("ENV,"):
                    name, _sign, value = rest[4:].partition("=")
                    variables[name] = value
                elif kind == ">CLIENT":
                    name, *numbers = rest.split(",")
                    event, variables = (name, numbers), {}
        for client in self._known():
            self._disconnected(client, {})

    def _client(self, event: str, numbers: list[str], variables: dict[str, str]) -> None:
        client = numbers[0]
        if event in ("CONNECT", "REAUTH"):  # OpenVPN has verified its certificate
            self._send(f"client-auth-nt {client} {numbers[1]}")
        elif event == "ESTABLISHED":
            with self._lock:
                self._clients.add(client)
            self._notify(event, client, variables)
        elif event == "DISCONNECT":
            self._disconnected(client, variables)

    def _known(self) -> list[str]:
        with self._lock:
            return sorted(self._clients)

    def _disconnected(self, client: str, variables: Mapping[str, str]) -> None:
        """Notify once that a client has disconnected."""
        with self._lock:
            if client not in self._clients:
                return
            self._clients.discard(client)
        self._notify("DISCONNECT", client, variables)
