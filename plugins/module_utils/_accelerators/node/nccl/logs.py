# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds the transport of the data in logs of NCCL and its EFA plugin. No I/O. Standard library only, Python 3.9 syntax.

Sources of the messages: NCCL's ``src/transport`` and aws-ofi-nccl's ``src/nccl_ofi_*`` of several years. A line about sockets
proves nothing, because NCCL always uses sockets at its start. The network of the channels counts.
"""

from __future__ import annotations

import collections
import re
import typing as t

from .model import EFA, P2P, SHARED_MEMORY, SOCKETS, Log

_LINE = re.compile(r"(?:^|[\s\]])([\w.-]+):\d+:\d+ \[\d+\] (?:\S+ )?NCCL (?:INFO|WARN) (.*)")
_PROVIDER = re.compile(r"NET/OFI Selected provider is ([\w;-]+)", re.IGNORECASE)
_NETWORK = re.compile(r"Using network (.+?)\s*$")
_CHANNEL = re.compile(r"^Channel .* via (NET/([A-Za-z ]+)/\d+\S*|P2P|SHM)")
_NO_PLUGIN = re.compile(r"NET/Plugin: No plugin found|No eligible providers")
_DIRECT = "/GDRDMA"
_LIBFABRIC = ("AWS Libfabric", "Libfabric")
_SOCKET = "Socket"
_EFA = "efa"
_LONGEST_LINE = 2000


def log(lines: t.Iterable[str]) -> Log:
    """:param lines: without labels."""
    providers: dict[str, set[str]] = collections.defaultdict(set)
    networks: set[str] = set()
    within: set[str] = set()
    channels: list[str] = []
    evidence: dict[str, str] = {}
    for host, text in _messages(lines):
        provider, network, channel = _PROVIDER.search(text), _NETWORK.search(text), _CHANNEL.match(text)
        if provider:
            providers[provider.group(1).lower()].add(host)
            evidence.setdefault(f"provider {provider.group(1)}", text)
        elif network:
            networks.add(network.group(1))
            evidence.setdefault(f"network {network.group(1)}", text)
        elif channel and channel.group(2):
            channels.append(channel.group(1))
            networks.add(channel.group(2))
            evidence.setdefault(f"channel {channel.group(2)}", text)
        elif channel:
            within.add(channel.group(1))
            evidence.setdefault(f"channel {channel.group(1)}", text)
        elif _NO_PLUGIN.search(text):
            evidence.setdefault("no plugin", text)
    direct = any(_DIRECT in each for each in channels) if channels else None
    hosts = {name: frozenset(each) for name, each in providers.items()}
    return Log(hosts, frozenset(networks), frozenset(within), direct, tuple(evidence.values()))


def carried_by(seen: Log, *, nodes: int) -> str:
    """What carried the data; empty if the log proves nothing. EFA must be the provider on each node, and channels must use it."""
    if nodes == 1:
        return SHARED_MEMORY if "SHM" in seen.within else P2P if "P2P" in seen.within else ""
    if _SOCKET in seen.networks or any(_EFA not in name.split(";") for name in seen.providers):
        return SOCKETS
    everywhere = len(seen.providers.get(_EFA, ())) >= nodes
    return EFA if everywhere and seen.gpu_direct is not None and any(each in seen.networks for each in _LIBFABRIC) else ""


def _messages(lines: t.Iterable[str]) -> t.Iterator[tuple[str, str]]:
    for line in lines:
        match = _LINE.search(line[:_LONGEST_LINE])
        if match:
            yield match.group(1), match.group(2)
