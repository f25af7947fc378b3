# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A haproxy process: its configuration, its runtime API, and its start in a network namespace."""

from __future__ import annotations

import csv
import os
import re
import signal
import socket
import subprocess
import time
import typing as t
from pathlib import Path

from lab.net import processes

START_SECONDS = 10
RETIRE_SECONDS = 10
# Servers are added only at run time. Backend `open` is used if no target is healthy: all targets, without checks.
CONFIGURATION = """\
global
  stats socket /tmp/admin.sock mode 600 level admin
  nbthread 1
  maxconn 2000
defaults
  mode tcp
  timeout connect 5s
  timeout client {idle}ms
  timeout server {idle}ms
  retries 0
frontend listener
  bind :{port}
  use_backend open if {{ nbsrv(checked) eq 0 }}
  default_backend checked
backend checked
  balance roundrobin
backend open
  balance roundrobin
"""
# haproxy and its libraries come from the hosts' image; its /tmp becomes the folder of this process.
ENTER = 'mount --bind "$0" "$1/tmp" && exec chroot "$1" /usr/sbin/haproxy -db -f /tmp/haproxy.cfg'


class HaproxyError(Exception):
    """haproxy did not start, or refused a command."""


class Haproxy:
    """Starts on construction. ``folder`` is created; ``image`` is the root of a file system with haproxy."""

    def __init__(self, *, folder: Path, image: Path, netns: str, port: int, idle_timeout: float) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        configuration = CONFIGURATION.format(port=port, idle=max(1, round(idle_timeout * 1000)))
        (folder / "haproxy.cfg").write_text(configuration, encoding="ascii")
        with open(folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", netns, "sh", "-c", ENTER, str(folder), str(image)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._await_start()

    def _await_start(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.query("show info")
                return
            except (OSError, HaproxyError) as error:
                if not self.running or time.monotonic() > deadline:
                    self.stop()
                    log = (self.folder / "log").read_text(errors="replace")[-500:]
                    raise HaproxyError(f"haproxy in {self.folder} did not start: {error}; {log}") from None
                time.sleep(0.02)

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def query(self, command: str) -> str:
        """The reply to a command of the runtime API."""
        # A Unix socket's path may have 108 characters, and folders of labs can be deeper than that.
        directory = os.open(self.folder, os.O_PATH)
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(5)
                connection.connect(f"/proc/self/fd/{directory}/admin.sock")
                connection.sendall(command.encode() + b"\n")
                connection.shutdown(socket.SHUT_WR)
                answer = b"".join(iter(lambda: connection.recv(65536), b""))
        finally:
            os.close(directory)
        return answer.decode().strip()

    def order(self, *commands: str) -> None:
        """Run commands that reply nothing, or a success message.

        :raises HaproxyError: with the reply to the first refused command.
        """
        for command in commands:
            answer = self.query(command)
            if answer and not re.match(r"New server registered|Server deleted", answer):
                raise HaproxyError(f"{command}: {answer}")

    def statistics(self) -> dict[tuple[str, str], dict[str, str]]:
        """``show stat`` by (backend, server)."""
        lines = self.query("show stat").lstrip("# ").split("\n")
        rows = csv.DictReader(lines)
        return {(row["pxname"], row["svname"]): t.cast("dict[str, str]", row) for row in rows}

    def retire(self) -> None:
        """Stop accepting connections; the process ends with its last session.

        Returns when it no longer accepts: until then the kernel distributes new sessions between it and its successor on
        the same port.
        """
        if not self.running:
            return
        self.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + RETIRE_SECONDS
        while self.running and self._accepts():
            if time.monotonic() > deadline:
                raise HaproxyError(f"haproxy in {self.folder} still accepts {RETIRE_SECONDS} seconds after SIGUSR1")
            time.sleep(0.01)

    def _accepts(self) -> bool:
        try:
            return "Stopping: 0" in self.query("show info")
        except TimeoutError:
            return True
        except OSError:
            return False  # the command socket is closed together with the port

    def stop(self) -> None:
        """End the process and all its sessions."""
        if self.running:
            processes.end(self.process)
