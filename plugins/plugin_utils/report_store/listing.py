# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of the reports of clusters in the report store: for each cluster and verb, the newest ones and their number."""

from __future__ import annotations

import collections
import concurrent.futures
import re
import typing as t
from dataclasses import dataclass, field

from .documents import CLUSTERS, cluster_of
from .source import AT_ONCE, NotListed, Source

DEPTH = 10
"""Number of keys that are kept for each cluster and verb. Older reports are only counted."""
MOST_FOREIGN = 100
_FILE = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{1,64}\.json")
_VERB = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_CHECK_EVERY = 1000
"""Number of keys after which the time is checked."""


@dataclass
class Names:
    """The reports of one cluster and verb, by ``TIME-ID``."""

    newest: collections.deque[str] = field(default_factory=lambda: collections.deque(maxlen=DEPTH))
    """In order, the newest one last."""
    count: int = 0


@dataclass
class Listing:
    pairs: dict[tuple[str, str], Names] = field(default_factory=dict)
    """By cluster and verb."""
    clusters: set[str] = field(default_factory=set)
    """All clusters of the store."""
    not_listed: dict[str, str] = field(default_factory=dict)
    """Clusters with unknown reports, and the reason."""
    foreign: list[str] = field(default_factory=list)
    """The first keys that no run writes."""
    foreign_count: int = 0

    def add(self, key: str) -> None:
        part, _slash, rest = key.removeprefix(CLUSTERS).partition("/")
        verb, _slash, file = rest.partition("/")
        cluster = cluster_of(part)
        if cluster is None or not _VERB.fullmatch(verb) or not _FILE.fullmatch(file):
            self.add_foreign(key)
            return
        names = self.pairs.setdefault((cluster, verb), Names())
        names.newest.append(file.removesuffix(".json"))
        names.count += 1

    def add_foreign(self, key: str) -> None:
        self.foreign_count += 1
        if len(self.foreign) < MOST_FOREIGN:
            self.foreign.append(key)


def listing(source: Source, *, late: t.Callable[[], bool], without: t.Collection[str] = ()) -> Listing:
    """List the reports of all clusters in parallel ranges, so that S3 returns a thousand keys with each call.

    :param late: whether the time is over.
    :param without: clusters whose reports are not listed.
    :raises NotListed: if not even the clusters could be listed.
    """
    found = Listing()
    parts = []
    for part in source.folders(CLUSTERS):
        cluster = cluster_of(part)
        if cluster is None:
            found.add_foreign(f"{CLUSTERS}{part}/")
        else:
            found.clusters.add(cluster)
            parts += [(part, cluster)] if cluster not in without else []
    size = max(1, -(-len(parts) // AT_ONCE))
    # A range must not include other clusters, because they may have many keys.
    ranges = [[each] for each in parts] if without else [parts[at : at + size] for at in range(0, len(parts), size)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for each in pool.map(lambda span: _range(source, span, late), ranges):
            _merge(found, each)
    return found


def _range(source: Source, span: t.Sequence[tuple[str, str]], late: t.Callable[[], bool]) -> Listing:
    """The reports of neighboring clusters. If they are not listed completely, nothing is known about these clusters."""
    found, first, last = Listing(), f"{CLUSTERS}{span[0][0]}/", f"{CLUSTERS}{span[-1][0]}/"
    prefix = first if len(span) == 1 else CLUSTERS
    try:
        for number, key in enumerate(source.keys(prefix, first, f"{last[:-1]}0")):  # "0" follows the slash
            if number % _CHECK_EVERY == 0 and late():
                raise NotListed("the time was over")
            found.add(key)
    except NotListed as error:
        return Listing(not_listed={cluster: str(error) for _part, cluster in span})
    return found


def _merge(into: Listing, found: Listing) -> None:
    into.pairs.update(found.pairs)
    into.not_listed.update(found.not_listed)
    into.foreign += found.foreign[: MOST_FOREIGN - len(into.foreign)]
    into.foreign_count += found.foreign_count
