# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with namespaces, which warns of Pods that violate a level of Pod Security."""

from __future__ import annotations

import typing as t
import urllib.parse

ENFORCE = "pod-security.kubernetes.io/enforce"
SPACE = "/api/v1/namespaces/"
Object = dict[str, t.Any]


class Namespaces:
    """``levels``: the enforced level by namespace, or None. ``violating``: the warnings by namespace for a change of the level."""

    def __init__(self, violating: t.Mapping[str, t.Sequence[str]] | None = None, **levels: str | None) -> None:
        self.there: dict[str, Object] = {
            name: {"metadata": {"name": name, "labels": {"team": "ml", **({ENFORCE: level} if level else {})}}}
            for name, level in ((name.replace("_", "-"), level) for name, level in levels.items())
        }
        self.violating = violating or {}
        self.warnings: list[str] = []
        self.changes: list[tuple[str, str]] = []
        """Requests that make changes, without dry runs."""
        self.tried: list[str] = []
        """Namespaces of dry runs."""
        self.refused: dict[str, int] = {}

    def level(self, name: str) -> str | None:
        found: str | None = self.there[name]["metadata"]["labels"].get(ENFORCE)
        return found

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, Object]:
        path, _mark, query = target.partition("?")
        name, self.warnings = path.removeprefix(SPACE), []
        if name not in self.there:
            return 404, {"message": f"namespaces {name} not found"}
        if method == "GET":
            return 200, self.there[name]
        if name in self.refused:
            return self.refused[name], {"message": "no"}
        labels = {**self.there[name]["metadata"]["labels"], **(body or {})["metadata"]["labels"]}
        changed = {**self.there[name], "metadata": {**self.there[name]["metadata"], "labels": labels}}
        self.warnings = [f'299 - "{text}"' for text in self.violating.get(name, ())]
        if urllib.parse.parse_qs(query).get("dryRun") == ["All"]:
            self.tried.append(name)
        else:
            self.changes.append((method, path))
            self.there[name] = changed
        return 200, changed
