# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server for ``forks``: runs modules, each in a fork of this process, until its ansible-playbook ends.

A request holds the module's path, folder, umask, environment and standard files; the reply is the exit code. A module
is killed with the process that requested it.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import typing as t

import kept_code
import loaded

LONGEST = 1 << 20
WAITING = 128


def serve(address: str, parent: int) -> t.NoReturn:
    """Serve until ``parent``, the reading end of a pipe, is at its end."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    kept_code.keep()
    loaded.load()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(address)
    listener.listen(WAITING)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    while True:
        if parent in select.select([listener, parent], [], [])[0]:
            os._exit(0)
        connection = listener.accept()[0]
        if os.fork() == 0:
            os.close(parent)
            listener.close()
            _serve_one(connection)
        connection.close()


def _serve_one(connection: socket.socket) -> t.NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    request, files, _flags, _address = socket.recv_fds(connection, LONGEST, 3)
    _die_with_peer(connection)
    module, folder, umask, environment = marshal.loads(request)
    for descriptor, file in enumerate(files):
        os.dup2(file, descriptor)
        os.close(file)
    os.chdir(folder)
    os.umask(umask)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module]
    code = loaded.exit_code(lambda: runpy.run_path(module, run_name="__main__"))
    connection.send(bytes([code]))
    os._exit(code)


def _die_with_peer(connection: socket.socket) -> None:
    """Let the kernel kill this process when the other end of the connection is closed."""
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    try:
        if not connection.recv(1, socket.MSG_DONTWAIT):
            os._exit(1)
    except BlockingIOError:
        pass
