# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in for AWS's session-manager-plugin, which the real ``aws ssm start-session`` runs.

``AWS-StartSSHSession`` joins stdin and stdout with a port of the host; the default document opens a root shell on a
terminal of the host. The session's token names the host; its namespaces are found in the lab's registry.
Standard library only: it runs under the first ``python3`` on PATH.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import termios
import threading
import tty
import typing as t

CHUNK = 65536
END_OF_FILE = b"\x04"
QUIET_SECONDS = 0.3
NAMESPACES = ("ipc", "uts", "net", "pid", "mnt", "cgroup")
SHELL_DOCUMENTS = ("", "SSM-SessionManagerRunShell", "AWS-StartInteractiveCommand", "AWS-StartNonInteractiveCommand")


class PluginError(Exception):
    """An error that ends the plugin with one line on stderr."""


def main(arguments: list[str]) -> int:
    """As awscli calls it: response (or the name of the variable that holds it), region, operation, profile, request."""
    if len(arguments) < 5 or arguments[2] != "StartSession":
        print("The Session Manager plugin was installed successfully. Use the AWS CLI to start a session.")
        return 0
    try:
        session = _session(arguments)
        _print(f"\nStarting session with SessionId: {session['session_id']}\n")
        if session["refused"]:
            signal.pause()
        if session["document"] == "AWS-StartSSHSession":
            return _join(_host_pid(session), int(session["parameters"].get("portNumber", ["22"])[0]))
        return _shell(session)
    except (PluginError, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 255


def _session(arguments: list[str]) -> dict[str, t.Any]:
    response = json.loads(os.environ.get(arguments[0]) or arguments[0])
    request = json.loads(arguments[4])
    token = json.loads(base64.urlsafe_b64decode(response["TokenValue"]))
    return {
        "session_id": response["SessionId"],
        "instance_id": token["instance_id"],
        "empty": token.get("empty", False),
        "refused": token.get("refused", False),
        "document": request.get("DocumentName") or "",
        "parameters": request.get("Parameters") or {},
    }


def _host_pid(session: dict[str, t.Any]) -> int:
    """Process 1 of the host, by the lab's registry of running hosts."""
    state = os.environ.get("LAB_STATE")
    if not state:
        raise PluginError("LAB_STATE is not set: this stand-in works inside the lab only")
    path = os.path.join(state, "hosts", session["instance_id"] + ".json")
    try:
        with open(path, encoding="utf-8") as file:
            return int(json.load(file)["pid"])
    except FileNotFoundError:
        raise PluginError(f"Cannot perform start session: {session['instance_id']} is not running") from None


def _print(text: str) -> None:
    _write(1, text.encode())


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _enter(pid: int, names: t.Sequence[str], *, root: bool) -> None:
    """Move this process into namespaces of ``pid``; the pid namespace applies to its children."""
    library = ctypes.CDLL(None, use_errno=True)
    handles = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in names]
    top = os.open(f"/proc/{pid}/root", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) if root else None
    for name, handle in zip(names, handles):
        if library.setns(handle, 0) != 0:
            code = ctypes.get_errno()
            raise OSError(code, f"cannot enter the {name} namespace of {pid}: {os.strerror(code)}")
        os.close(handle)
    if top is not None:
        os.fchdir(top)
        os.chroot(".")
        os.close(top)


def _join(pid: int, port: int) -> int:
    """Join stdin and stdout with a port of the host, each direction in a thread of its own."""
    _enter(pid, ["net"], root=False)
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=_upstream, args=(connection,), daemon=True).start()
    try:
        while data := connection.recv(CHUNK):
            _write(1, data)
    except (BrokenPipeError, ConnectionResetError):
        pass  # one side is closed, which ends the session
    return 0


def _upstream(connection: socket.socket) -> None:
    try:
        while data := os.read(0, CHUNK):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other direction notices too


def _shell(session: dict[str, t.Any]) -> int:
    """A root login shell on a terminal of the host; with a command in the request, that command."""
    if session["document"] not in SHELL_DOCUMENTS:
        raise PluginError(f"document {session['document']} is unknown to this stand-in")
    pid = _host_pid(session)
    size = _window_size()
    _enter(pid, [name for name in NAMESPACES if os.path.exists(f"/proc/{pid}/ns/{name}")], root=True)
    child, master = os.forkpty()
    if child == 0:
        _become_shell(session["parameters"].get("command"))
    fcntl.ioctl(master, termios.TIOCSWINSZ, size)
    with _RawTerminal(master):
        _relay(master, show=not session["empty"])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if session["empty"]:
        _print("\nCannot perform start session: EOF\n")
        return 0
    _print(f"\n\nExiting session with sessionId: {session['session_id']}.\n\n")
    return max(status, 0)


def _become_shell(command: list[str] | None) -> t.NoReturn:
    os.chdir("/root" if os.path.isdir("/root") else "/")
    environment = {
        "HOME": "/root",
        "USER": "root",
        "LOGNAME": "root",
        "SHELL": "/bin/bash",
        "TERM": "xterm-256color",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }
    arguments = ["/bin/bash", "-c", command[0]] if command else ["-bash"]
    try:
        os.execve("/bin/bash", arguments, environment)
    finally:
        os._exit(127)


def _relay(master: int, *, show: bool) -> None:
    """Copy both directions until the shell has ended. The end of the input is an end-of-file on the terminal.

    The terminal gets only as much input as fits, so that a long input and its echo cannot block each other.
    """
    os.set_blocking(master, False)
    waiting = b""
    listening = True
    while True:
        readable = [master, 0] if listening and not waiting else [master]
        ready, room, _broken = select.select(readable, [master] if waiting else [], [], None if listening else QUIET_SECONDS)
        if not ready and not room:
            waiting = END_OF_FILE  # again: the shell may have lost the first one while it switched the terminal
        if master in ready:
            try:
                data = os.read(master, CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                return  # Linux reports EIO when the last process has left the terminal
            if show:
                _write(1, data)
        if 0 in ready:
            waiting = os.read(0, CHUNK)
            listening = bool(waiting)
            waiting = waiting or END_OF_FILE
        if room:
            waiting = waiting[_write_some(master, waiting) :]


def _write_some(descriptor: int, data: bytes) -> int:
    try:
        return os.write(descriptor, data)
    except OSError:
        return 0  # no room, or the shell has ended, which the next read detects


class _RawTerminal:
    """The caller's terminal, if any, in raw mode; its size is copied to that of the host."""

    def __init__(self, master: int) -> None:
        self.master = master
        self.before: list[t.Any] | None = None

    def __enter__(self) -> None:
        if os.isatty(0):
            self.before = termios.tcgetattr(0)
            tty.setraw(0)
            signal.signal(signal.SIGWINCH, self._resized)

    def __exit__(self, *_: t.Any) -> None:
        if self.before is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, self.before)

    def _resized(self, *_: t.Any) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, _window_size())


def _window_size() -> bytes:
    for descriptor in (0, 1):
        if os.isatty(descriptor):
            return fcntl.ioctl(descriptor, termios.TIOCGWINSZ, b"\0" * 8)
    return struct.pack("HHHH", 24, 80, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
