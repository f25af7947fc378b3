# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads everything that the fleet report uses from the report store."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import Listing, listing
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import (
    NotListed,
    Reading,
    Source,
    Unreadable,
    source,
)

from .access import Facts
from .facts import VERBS, of_file
from .latest import Choice, OfVerb, Pair

Files = dict[tuple[str, str], dict[str, Facts] | Unreadable]


@dataclass
class Sources:
    address: str
    failure: str = ""
    """Why the store could not be listed; empty if it was."""
    listing: Listing | None = None
    runs: t.Mapping[Pair, OfVerb] = field(default_factory=dict)
    files: Files = field(default_factory=dict)
    """The facts of each cluster in a report file, by verb and key."""
    objects: int = 0
    """Number of objects that were read."""
    calls: t.Mapping[str, int] = field(default_factory=dict)
    """Number of calls of S3, by operation."""


def read(place: Place, now: str, wanted: t.Collection[str], known: t.Collection[str]) -> Sources:
    """
    :param wanted: the clusters whose reports are read.
    :param known: all clusters of the inventory. The reports of the others are only listed.
    """
    found = Sources(place.address("").rstrip("/"))
    try:
        store = source(place)
        _read(found, store, now, wanted, {*known} - {*wanted})
    except NotListed as error:
        found.failure = str(error)
    return found


def _read(found: Sources, store: Source, now: str, wanted: t.Container[str], without: t.Collection[str]) -> None:
    reading = Reading(store)
    try:
        found.listing = listing(store, late=lambda: reading.late, without=without)
        pairs = {pair: names for pair, names in found.listing.pairs.items() if pair[0] in wanted}
        choice = Choice(pairs, reading, now)
        found.files = _files(choice.latest(), reading)  # before the histories, which have more objects, if the time is short
        found.runs = choice.with_histories()
    finally:
        found.objects, found.calls = reading.count, dict(store.calls)


def _files(runs: t.Mapping[Pair, OfVerb], reading: Reading) -> Files:
    found: Files = {}
    for verb in VERBS:
        keys = {key for (_cluster, name), each in runs.items() if name == verb for key in each.real.files if key.endswith(".json")}
        found.update({(verb, key): facts for key, facts in reading.objects(sorted(keys), of_file(verb)).items()})
    return found
