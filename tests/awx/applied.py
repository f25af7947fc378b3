# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet that was created through AWX's API alone: all objects in less than a second, where awx.awx takes a second for each.

The role's own plan proves that AWX then has what the role declares.
"""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.found import RESOURCES, RIGHTS, found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import KINDS, Object
from lab.awx import projects
from lab.awx.api import Awx
from lab.awx.below import ASSOCIATED
from lab.awx.kinds import REFERENCES, TOGETHER
from lab.awx.objects import Object as Made

BELOW = {"survey_spec": "survey_spec", "approval_node": "create_approval_template"}
"""Values that AWX takes at a path below the object."""
KIND_OF = {option: f"{KINDS[kind].path}" for kind, option in RESOURCES.items()}


class Applied:
    """:param repository: the project, which is not synchronized: AWX gets its playbooks here."""

    def __init__(self, awx: Awx, repository: Path) -> None:
        self.awx, self.repository = awx, repository

    def apply(self, wanted: t.Iterable[Object]) -> None:
        for each in wanted:
            if each.kind == "role":
                self._give(each)
            else:
                self._create(each)

    def found(self, fleet: t.Any, wanted: t.Sequence[Object]) -> list[Object]:
        """The objects as the role reads them."""
        return found(fleet, wanted, self._read)

    def named(self, plural: str, name: str) -> Made:
        ones = self.awx.objects.together(plural) if plural in TOGETHER else self.awx.objects.by_kind[plural].values()
        return next(each for each in ones if name in (each.values.get("identifier"), each.values.get("name"), each.values.get("username")))

    def status(self, user: str, method: str, found: Made, below: str = "", body: t.Any = None) -> int:
        """The status of a user's request for an object, or for a path below it."""
        path = f"{found.kind.plural}/{found.id}/{below}{'/' if below else ''}"
        return self.awx.call(method, path, body, self.named("users", user))[0]

    def send(self, method: str, path: str, body: t.Any) -> t.Any:
        status, answer = self.awx.call(method, path, body)
        assert status in (200, 201, 204), (path, body, answer)
        return answer

    def _create(self, each: Object) -> None:
        refers = {name: self.named(REFERENCES[name], value).id for name, value in each.refers.items() if value}
        values = {name: value for name, value in each.values.items() if name not in BELOW}
        plural = KINDS[each.kind].path
        made = self.send("POST", f"{plural}/", {KINDS[each.kind].id: each.name, **values, **refers})
        for name in BELOW.keys() & each.values.keys():
            self.send("POST", f"{plural}/{made['id']}/{BELOW[name]}/", each.values[name])
        for name, others in each.lists.items():
            for one in others:
                self.send("POST", f"{plural}/{made['id']}/{name}/", {"id": self.named(ASSOCIATED[name], one).id})
        if each.kind == "project":
            there = {"status": "successful", "scm_revision": "1", "playbooks": projects.playbooks(self.repository)}
            self.awx.objects.change(self.named("projects", each.name), there)

    def _give(self, each: Object) -> None:
        team = self.named("teams", str(each.refers["team"]))
        for kind, names in each.lists.items():
            for name in names:
                roles = self.named(KIND_OF[kind], name).related["object_roles"]
                (role,) = (one for one in roles if RIGHTS.get(one.values["name"], one.values["name"].lower()) == each.values["role"])
                self.send("POST", f"roles/{role.id}/teams/", {"id": team.id})

    def _read(self, path: str, **query: t.Any) -> t.Any:
        words = "&".join(f"{name}={value}" for name, value in {"page_size": 200, **query}.items())
        answer = self.send("GET", f"{path}/?{words}", None)
        assert not (isinstance(answer, dict) and answer.get("next")), path
        return answer["results"] if isinstance(answer, dict) and "results" in answer else answer
