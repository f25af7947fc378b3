# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that Ansible starts on the controller becomes a fork of a process that has loaded boto3 already.

To load it takes longer than what most modules do with it, and a test run starts thousands. Each ansible-playbook has a fork
server of its own as its child, so that a module is below the run that it belongs to, and ends with it.
"""

from __future__ import annotations

import os
import sys

SERVER = "LAB_FORK_SERVER"
KILLED = 137


def prepare() -> str:
    """What this process is tells its command line; the imports are few, since every Python in the lab's shell comes here.

    Its program's name, where it is not a module that somebody else runs now.
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
    reader, writer = os.pipe()  # its end tells the server that this process and its workers are gone
    if os.fork() == 0:
        os.close(writer)
        import fork_server

        fork_server.serve(f"\0{address}", reader)
    os.close(reader)


def _hand_over(module: str) -> None:
    """Ends as the module does; comes back if the fork server is not there (yet)."""
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
