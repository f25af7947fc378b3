# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name server for Pods that answers from the Endpoints of Services, as CoreDNS does.

A Service with a cluster address also resolves to the addresses of its Pods, because no kube-proxy runs.
"""

from __future__ import annotations

import collections.abc
import contextlib
import socketserver
import struct
import threading
import typing as t

from lab.kubernetes.api import Api, ApiError, Object
from lab.net import public

from . import network

PORT = 53
DOMAIN = "svc.cluster.local"


class Names:
    """At the bridge's address, from :meth:`start` to :meth:`stop`."""

    def __init__(self, api: Api) -> None:
        self.services = Services(api)
        self._server: socketserver.UDPServer | None = None

    def start(self) -> None:
        self._server = socketserver.UDPServer((network.GATEWAY, PORT), self._answer)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _answer(self, request: t.Any, client: t.Any, _server: object) -> None:
        question, reply = request
        with contextlib.suppress(ValueError, struct.error, IndexError, OSError):  # a broken question, or no API server
            reply.sendto(public.answer(question, self.services), client)


class Services(collections.abc.Mapping):
    """Addresses by name, read from the API server for each question."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def __getitem__(self, name: str) -> list[str]:
        """:raises KeyError: if there is no such name."""
        parts = split(name)
        if parts is None:
            raise KeyError(name)
        host, service, namespace = parts
        try:
            endpoints = self.api.get(f"/api/v1/namespaces/{namespace}/endpoints/{service}")
        except ApiError as error:
            raise KeyError(name) from error
        found = addresses(endpoints, host)
        if not found:
            raise KeyError(name)
        return found

    def __iter__(self) -> t.Iterator[str]:
        raise NotImplementedError("names are looked up, not listed")

    def __len__(self) -> int:
        raise NotImplementedError("names are looked up, not listed")


def split(name: str) -> tuple[str, str, str] | None:
    """Host name, empty for the Service itself, Service and namespace; None for a name that no Service has."""
    labels = name.removesuffix(f".{DOMAIN}").split(".")
    if not name.endswith(f".{DOMAIN}") or len(labels) not in (2, 3) or not all(labels):
        return None
    return ("" if len(labels) == 2 else labels[0], labels[-2], labels[-1])


def addresses(endpoints: Object, host: str) -> list[str]:
    """Of all ready Pods, or of the one with this host name."""
    listed = [each for subset in endpoints.get("subsets") or [] for each in subset.get("addresses") or []]
    return [str(each["ip"]) for each in listed if host in ("", each.get("hostname"))]
