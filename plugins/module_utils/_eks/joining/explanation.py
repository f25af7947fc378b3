# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Explains why nodes of a group do not join, with clients that are created only for this."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, connect
from ..nodegroup.model import Nodegroup
from .causes import findings
from .observe import Observer
from .verdict import text


class Explanation:
    """Reads again for each call, because people correct causes while a module waits."""

    def __init__(self, module: t.Any, eks: Api, cluster: str) -> None:
        self._module = module
        self._clients = {"eks": eks}
        self._cluster = cluster

    def __call__(self, group: Nodegroup, instances: t.Sequence[str]) -> str:
        return text(findings(Observer(self._client, self._cluster, group.settings)()), instances)

    def _client(self, service: str) -> Api:
        if service not in self._clients:
            self._clients[service] = connect(self._module, service)
        return self._clients[service]
