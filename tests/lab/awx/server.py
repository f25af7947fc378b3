# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in of AWX as an HTTP server on loopback.

Tests control it below ``/lab/``, without authentication: ``POST /lab/faults`` adds a list of rules (:mod:`lab.awx.faults`), ``DELETE``
clears them, and ``GET /lab/calls`` returns the log of requests (:mod:`lab.awx.calls`).
"""

from __future__ import annotations

import base64
import contextlib
import http.server
import json
import secrets
import threading
import typing as t
from pathlib import Path

from .api import NOT_FOUND, ROOT, Awx
from .below import Text
from .calls import Call, without_secrets
from .faults import Faults, Rule
from .jobs import Jobs, World
from .objects import Object

NOT_AUTHENTICATED = {"detail": "Authentication credentials were not provided. To establish a login session, visit /api/login/."}
VERSION = "24.6.1"
PRODUCT = {"X-API-Product-Name": "AWX", "X-API-Product-Version": VERSION}
_CLOSES = ("refuse", "dead")


class Reply(t.NamedTuple):
    status: int
    """0 closes the connection without a reply."""
    answer: t.Any = None
    headers: t.Mapping[str, str] = {}


class Server:
    """Answers until :meth:`close`. ``awx`` is for tests that look at objects or change them as an administrator would."""

    def __init__(self, world: World) -> None:
        self.password = secrets.token_hex(8)
        self.awx, self.lock, self.faults = Awx(self.password), threading.RLock(), Faults()
        self.jobs = Jobs(self.awx.objects, world, self.lock)
        self.calls: list[Call] = []
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        _status, answer = self.awx.call("POST", "tokens/", {})
        self.token: str = answer["token"]
        """A token of the administrator."""

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self.jobs.close()

    @property
    def changes(self) -> list[Call]:
        """The requests that AWX carried out, except GET and those for tokens."""
        carried_out = [each for each in self.calls if each.status in range(200, 300) or each.fault == "lost"]
        return [each for each in carried_out if each.is_change]

    @property
    def problems(self) -> list[str]:
        return [problem for each in self.calls for problem in each.problems]

    def handle(self, method: str, path: str, body: t.Any, authorization: str) -> Reply:
        """The reply to a request. Callers hold the lock."""
        if path.startswith("/lab/"):
            return self._control(method, path, body)
        if path in ("/api/", "/api"):
            return Reply(200, {"current_version": ROOT, "available_versions": {"v2": ROOT}})
        if not path.startswith(ROOT):
            return Reply(404, NOT_FOUND)
        where = path.removeprefix(ROOT)
        before, mark, query = where.partition("?")
        if before and not before.endswith("/"):
            return Reply(301, None, {"Location": f"{ROOT}{before}/{mark}{query}"})
        call = Call(method, where, without_secrets(self.awx.objects, body))
        self.calls.append(call)
        fault = self.faults.take(method, where)
        reply = self._faulty(fault, call, body, authorization)
        call.status, call.fault = reply.status, fault.kind if fault is not None else ""
        return reply

    def _faulty(self, fault: Rule | None, call: Call, body: t.Any, authorization: str) -> Reply:
        kind = fault.kind if fault is not None else ""
        if kind in _CLOSES:
            return Reply(0)
        if kind == "unavailable":
            return Reply(503, {"detail": "AWX is starting."})
        if kind == "edit":
            self.awx.call(*fault.request)
        if kind == "expired":
            self.awx.objects.by_kind["tokens"].clear()
        if call.path.partition("?")[0] == "ping/":
            return Reply(200, {"version": VERSION, "active_node": "lab", "ha": False, "instances": [], "instance_groups": []})
        user = self._user(authorization)
        if user is None:
            return Reply(401, NOT_AUTHENTICATED)
        call.user = user.values["username"]
        reply = self._answered(call, body, user)
        if kind == "lag" and reply.status == 201:
            self._created(reply.answer).hidden = fault.lists
        return Reply(0) if kind == "lost" else reply

    def _answered(self, call: Call, body: t.Any, user: Object) -> Reply:
        self.jobs.request()
        if call.path.partition("?")[0] == "me/":
            status, shown = self.awx.call("GET", f"users/{user.id}/", None, user)
            return Reply(status, {"count": 1, "next": None, "previous": None, "results": [shown]})
        if call.path == "config/":
            return Reply(200, {"version": VERSION, "license_info": {"license_type": "open"}, "time_zone": "UTC"})
        known = len(self.awx.objects.problems)
        status, answer = self.awx.call(call.method, call.path, body, user)
        call.problems = self.awx.objects.problems[known:]
        self.jobs.progress()
        return Reply(status, answer)

    def _created(self, answer: t.Any) -> Object:
        plural, number = answer["url"].removeprefix(ROOT).strip("/").split("/")
        return self.awx.objects.get(plural, number)

    def _user(self, authorization: str) -> Object | None:
        kind, _space, value = authorization.partition(" ")
        users = self.awx.objects.by_kind["users"]
        if kind == "Bearer":
            tokens = self.awx.objects.by_kind["tokens"].values()
            return next((users.get(each.values["user"]) for each in tokens if each.values["token"] == value), None)
        if kind != "Basic":
            return None
        name, _colon, password = base64.b64decode(value).decode().partition(":")
        named = (each for each in users.values() if each.values["username"] == name)
        return next((each for each in named if each.values.get("password") == password), None)

    def _control(self, method: str, path: str, body: t.Any) -> Reply:
        if path == "/lab/calls":
            return Reply(200, [each.shown() for each in self.calls])
        if path != "/lab/faults":
            return Reply(404, NOT_FOUND)
        if method == "DELETE":
            self.faults.clear()
        if method == "POST":
            try:
                self.faults.add(body)
            except (TypeError, ValueError) as wrong:
                return Reply(400, {"detail": str(wrong)})
        return Reply(200, self.faults.listed())


def _handler(server: Server) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: t.Any) -> None:
            """Requests are in ``Server.calls``."""

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            try:
                body = json.loads(content) if content else None
            except ValueError as wrong:
                self.reply(Reply(400, {"detail": f"JSON parse error - {wrong}"}))
                return
            with server.lock:
                reply = server.handle(self.command, self.path, body, self.headers.get("Authorization", ""))
            self.reply(reply)

        def reply(self, reply: Reply) -> None:
            if not reply.status:
                self.close_connection = True
                return
            is_text = isinstance(reply.answer, Text)
            content = b"" if reply.answer is None else (reply.answer if is_text else json.dumps(reply.answer)).encode()
            self.send_response(reply.status)
            own = {"Content-Type": "text/plain" if is_text else "application/json", "Content-Length": str(len(content))}
            for name, value in {**own, **PRODUCT, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 - the names are http.server's

    return Handler


@contextlib.contextmanager
def running(folder: Path, projects: t.Mapping[str, Path] | None = None, **world: t.Mapping[str, str]) -> t.Iterator[Server]:
    """A new AWX, for the time of a test.

    :param folder: for its jobs; they stay there.
    :param projects: the local folder for each ``scm_url``.
    :param world: ``environment`` and ``secrets`` of :class:`lab.awx.jobs.World`.
    """
    server = Server(World(folder, projects or {}, **world))
    try:
        yield server
    finally:
        server.close()
