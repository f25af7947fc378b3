# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of AWX's API for tests: requests by urllib, and short ways to objects."""

from __future__ import annotations

import base64
import json
import time
import typing as t
import urllib.error
import urllib.request

SCM_URL = "https://git.example.com/fleet.git"
WAIT_SECONDS = 300


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: t.Any) -> None:
        return None


class Reply(t.NamedTuple):
    status: int
    body: t.Any
    headers: t.Mapping[str, str]


class Client:
    def __init__(self, url: str, authorization: str = "") -> None:
        self.url, self.authorization = url, authorization
        self._opener = urllib.request.build_opener(_NoRedirect)

    @classmethod
    def with_token(cls, url: str, token: str) -> Client:
        return cls(url, f"Bearer {token}")

    @classmethod
    def with_password(cls, url: str, name: str, password: str) -> Client:
        return cls(url, f"Basic {base64.b64encode(f'{name}:{password}'.encode()).decode()}")

    def send(self, method: str, path: str, body: t.Any = None) -> Reply:
        """:param path: after ``/api/v2/``, or with a slash at its beginning."""
        where = path if path.startswith("/") else f"/api/v2/{path}"
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{where}", content, {"Content-Type": "application/json"}, method=method)
        if self.authorization:
            request.add_header("Authorization", self.authorization)
        try:
            with self._opener.open(request, timeout=30) as answer:
                return self._reply(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return self._reply(refused)

    @staticmethod
    def _reply(answer: t.Any) -> Reply:
        text = answer.read().decode()
        is_json = text and answer.headers["Content-Type"] == "application/json"
        return Reply(answer.status, json.loads(text) if is_json else text, answer.headers)

    def get(self, path: str) -> t.Any:
        reply = self.send("GET", path)
        assert reply.status == 200, reply
        return reply.body

    def create(self, path: str, **body: t.Any) -> t.Any:
        reply = self.send("POST", path, body)
        assert reply.status in (201, 202), reply
        return reply.body

    def names(self, path: str) -> list[str]:
        return [each["name"] for each in self.get(path)["results"]]

    def ended(self, url: str, status: str = "", *, seconds: float = WAIT_SECONDS) -> t.Any:
        """A job after its end, or when it has a status."""
        final = (status,) if status else ("successful", "failed", "error", "canceled")
        return self.until(url, lambda job: job["status"] in final, seconds=seconds)

    def until(self, path: str, is_reached: t.Callable[[t.Any], bool], *, seconds: float = WAIT_SECONDS) -> t.Any:
        deadline = time.monotonic() + seconds
        while not is_reached(found := self.get(path)):
            assert time.monotonic() < deadline, f"after {seconds:.0f} s: {found}"
            time.sleep(0.05)
        return found

    def project(self, organization: int, **values: t.Any) -> t.Any:
        """A project after its sync."""
        made = self.create("projects/", name="git", organization=organization, scm_type="git", **{"scm_url": SCM_URL, **values})
        self.ended(f"project_updates/{made['summary_fields']['current_update']['id']}/")
        return self.get(f"projects/{made['id']}/")

    def template(self, playbook: str = "reconcile.yml", **values: t.Any) -> t.Any:
        """A job template with its own organization, project and inventory."""
        organization = self.create("organizations/", name=f"of {values.get('name', playbook)}")["id"]
        project = self.project(organization)
        inventory = self.create("inventories/", name="clusters", organization=organization)
        common = {"name": playbook, "playbook": playbook, "project": project["id"], "inventory": inventory["id"]}
        return self.create("job_templates/", **{**common, **values})
