# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The system's log of one command: a socket that only this command has at /dev/log, in a mount namespace of its own."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import typing as t
from pathlib import Path

FIRST = "the log works"
"""The first message, which proves that messages arrive."""
_OWN_DEV = """
log=$1 dev=$2; shift 2
mount -t tmpfs none "$dev"
for each in null zero full random urandom tty; do touch "$dev/$each"; mount --bind "/dev/$each" "$dev/$each"; done
for each in shm pts; do mkdir "$dev/$each"; mount --bind "/dev/$each" "$dev/$each"; done
ln -s /proc/self/fd "$dev/fd"
ln -s pts/ptmx "$dev/ptmx"
touch "$dev/log"; mount --bind "$log" "$dev/log"
mount --rbind "$dev" /dev
exec "$@"
"""
_BEGIN = f"import os, sys, syslog; syslog.syslog('{FIRST}'); os.execvp(sys.argv[1], sys.argv[1:])"


class Syslog:
    def __init__(self, socket_file: Path, dev: Path) -> None:
        self.messages: list[str] = []
        self.prefix = ["unshare", "--mount", "sh", "-euc", _OWN_DEV, "sh", str(socket_file), str(dev), sys.executable, "-c", _BEGIN]
        """Words before a command that logs here."""


@contextlib.contextmanager
def listening(folder: Path) -> t.Iterator[Syslog]:
    """A log for the time of a command. Its messages are complete after the block."""
    path, dev = folder / "log", folder / "dev"
    dev.mkdir()
    syslog = Syslog(path, dev)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(path))

        def receive() -> None:
            while message := receiver.recv(1 << 20):
                syslog.messages.append(message.decode(errors="replace"))

        thread = threading.Thread(target=receive)
        thread.start()
        try:
            yield syslog
        finally:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(b"", str(path))
            thread.join()
