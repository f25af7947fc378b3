# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules on the controller run as forks of a process that has already loaded boto3.

Loading it takes longer than the work of most modules, and a test run starts thousands of them. Each ansible-playbook has its own
fork server as a child process, so that modules belong to their run and end with it.
"""

from __future__ import annotations

import os
import sys

SERVER = "LAB_FORK_SERVER"
KILLED = 137


def prepare() -> str:
    """Detect from the command line what this process is. There are few imports, because every Python in the lab's shell calls this.

    :returns: the name of its program, unless it is a module that the fork server runs.
    """
    program = os.path.basename(sys.orig_argv[1]) if len(sys.orig_argv) > 1 else ""
    if program == "ansible-playbook":
        _begin()
    elif program.startswith("AnsiballZ_") and os.environ.get(SERVER, "").startswith(f"{sys.prefix} "):
        _hand_over(sys.orig_argv[1])
    return program


def _begin() -> None:
    address = f"lab-forks-{os.getpid()}"
    os.environ[SERVER] = f"{sys.prefix} {address}"
    reader, writer = os.pipe()  # its end tells the server that this process and its workers have ended
    if os.fork() == 0:
        os.close(writer)
        import fork_server

        fork_server.serve(f"\0{address}", reader)
    os.close(reader)


def _hand_over(module: str) -> None:
    """Run the module in the fork server and exit as it does; return if the server is not available."""
    import _signal
    import _socket
    import marshal

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        connection.connect("\0" + os.environ[SERVER].rpartition(" ")[2])
    except OSError:
        return
    umask = os.umask(0)
    os.umask(umask)
    request = marshal.dumps((module, os.getcwd(), umask, dict(os.environ)))
    files = b"".join(descriptor.to_bytes(4, sys.byteorder) for descriptor in (0, 1, 2))
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    connection.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
    os._exit((connection.recv(1) or bytes([KILLED]))[0])
