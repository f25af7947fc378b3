# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the clusters and nodes of all accounts and Regions. A failure is recorded and does not stop the other reads."""

from __future__ import annotations

import contextlib
import dataclasses
import typing as t
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import PAGE_SIZE, HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node, NodeTypes

from . import named_groups
from .failures import Failure, no_such_cluster, of_another_account, of_call, place as place_of
from .reading import Reading
from .sources import Account, Wish

WITH_ADDRESS = ("login", "controller")


class NoClient(Exception):
    """No client could be created, because the credentials or the Region are missing or invalid."""


Connect = t.Callable[[str | None, str | None], HyperPod]
"""A function that creates the client for a profile and a Region."""
Caller = t.Callable[[str | None, str | None], str]
"""A function that returns the account of the credentials for a profile and a Region; empty if AWS does not return the account."""


@dataclass(frozen=True)
class Place:
    """One account in one Region."""

    account: Account
    region: str | None
    api: HyperPod


@dataclass(frozen=True)
class Target:
    """A cluster to read. If ``wish`` is set, the source names the cluster, which may not exist in this place."""

    place: Place
    name_or_arn: str
    wish: Wish | None = None

    @property
    def node_types(self) -> NodeTypes:
        return self.place.account.node_types if self.wish is None else self.wish.node_types


@dataclass(frozen=True)
class Found:
    """A cluster with its nodes. ``tags`` is None if the tags were not read."""

    cluster: Cluster
    nodes: tuple[Node, ...]
    profile: str | None
    connection: str
    key: str
    tags: t.Mapping[str, str] | None


@dataclass(frozen=True)
class Discovery:
    found: tuple[Found, ...]
    failures: tuple[str, ...]
    read: tuple[str, ...] = ()
    """One sentence for each account and Region that was read, with the number of clusters and how many each filter excluded."""
    empty: tuple[str, ...] = ()
    """Sentences about accounts that were read completely and added no cluster."""
    odd: tuple[str, ...] = ()
    """Settings of the source that have no effect."""


class Discoverer:
    """Reads all accounts. ``threads`` limits how many clusters, and how many nodes of each cluster, are read at the same time."""

    def __init__(self, connect: Connect, caller: Caller, *, threads: int, read_tags: bool) -> None:
        self._connect = connect
        self._caller = caller
        self._threads = threads
        self._read_tags = read_tags
        self._failures: list[Failure] = []
        self._reading = Reading()
        self._odd: list[str] = []
        self._seen: set[tuple[int, str]] = set()
        self._broken: set[int] = set()
        """The ``id()`` of each account that could not be read completely."""

    def discover(self, accounts: t.Sequence[Account]) -> Discovery:
        places = [place for account in accounts for place in self._places(account)]
        with ThreadPoolExecutor(max_workers=self._threads) as pool:
            targets = [target for some in pool.map(self._targets, places) for target in some]
            found = [each for each in pool.map(self._read, targets) if each is not None]
        self._name_missing_wishes(accounts, places)
        whole = [account for account in accounts if id(account) not in self._broken]
        nothing = [self._reading.nothing_of(_places_of(account)) for account in whole]
        return Discovery(
            found=tuple(found),
            failures=tuple(sorted(self._explained(failure).sentence for failure in self._failures)),
            read=self._reading.sentences(),
            empty=tuple(sentence for sentences in nothing for sentence in sentences),
            odd=(*sorted(self._odd), *(() if self._broken else named_groups.of_all(accounts, [each.cluster for each in found]))),
        )

    def _places(self, account: Account) -> t.Iterator[Place]:
        """The places of an account. The clients are created here one by one, because creating a client is not thread-safe."""
        wished = {wish.region for wish in account.wishes or () if wish.region}
        for region in dict.fromkeys([*(account.regions or (None,)), *sorted(wished)]):
            if region is None and wished and all(wish.region for wish in account.wishes or ()):
                continue
            try:
                yield Place(account, region, self._connect(account.profile, region))
            except NoClient as error:
                self._fail(account, region, "", str(error))

    def _targets(self, place: Place) -> list[Target]:
        account = place.account
        if account.wishes is not None:
            here = [wish for wish in account.wishes if wish.region == place.region or self._by_name(wish, place)]
            self._reading.place(place_of(account, place.region))
            return [Target(place, wish.name_or_arn, wish) for wish in here]
        try:
            summaries = _summaries(place)
        except AwsError as error:
            self._fail(account, place.region, "", of_call(error))
            return []
        self._reading.place(place_of(account, place.region))
        return [Target(place, item["ClusterArn"]) for item in summaries if self._passes(place, name=item["ClusterName"])]

    @staticmethod
    def _by_name(wish: Wish, place: Place) -> bool:
        return wish.region is None and (place.region is None or place.region in place.account.regions)

    def _read(self, target: Target) -> Found | None:
        account = target.place.account
        try:
            cluster = target.place.api.describe(target.name_or_arn, node_types=target.node_types)
            if target.wish is not None and cluster is not None:
                self._seen.add((id(account), target.name_or_arn))
            if cluster is None or (target.wish is not None and not self._passes(target.place, name=cluster.name)):
                return None
            if not self._passes(target.place, orchestrator=cluster.orchestrator):
                return None
            return self._with_nodes(target, cluster)
        except (AwsError, Refused) as error:
            self._fail(account, target.place.region, target.name_or_arn, of_call(error))
            return None

    def _passes(self, place: Place, **known: t.Any) -> bool:
        """Whether a cluster passes the filters for its ``known`` fields. A filter that excludes the cluster is counted."""
        filter_text = place.account.filters.left_out_by(**known)
        if filter_text:
            self._reading.left_out(place_of(place.account, place.region), filter_text)
        return not filter_text

    def _with_nodes(self, target: Target, cluster: Cluster) -> Found | None:
        api, account, wish = target.place.api, target.place.account, target.wish
        tags = api.tags(cluster.arn) if self._read_tags or account.filters.tags else None
        if not self._passes(target.place, tags=tags or {}):
            return None
        connection = account.connection if wish is None else wish.connection
        self._odd += named_groups.of_cluster(wish, cluster) if wish is not None else []
        nodes = api.nodes(cluster)
        everywhere = connection != "ssm"
        wanted = [node.instance_id for node in nodes if everywhere or node.node_type in WITH_ADDRESS]
        details = api.details(cluster, wanted, threads=self._threads)
        self._reading.taken(place_of(account, target.place.region))
        return Found(
            cluster=cluster,
            nodes=tuple(details.get(node.instance_id, node) for node in nodes),
            profile=account.profile,
            connection=connection,
            key=(wish.key if wish is not None else None) or cluster.name,
            tags=tags,
        )

    def _name_missing_wishes(self, accounts: t.Sequence[Account], places: t.Sequence[Place]) -> None:
        """Add a failure for each named cluster that does not exist.

        Accounts with other failures are skipped, because the cluster may be in a Region that could not be read.
        """
        for account in accounts:
            wishes = () if id(account) in self._broken else account.wishes or ()
            missing = [wish for wish in wishes if (id(account), wish.name_or_arn) not in self._seen]
            for wish in missing:
                where = wish.region or ", ".join(account.regions) or None
                asked = [place for place in places if place.account is account and place.region in (wish.region or place.region,)]
                reason = no_such_cluster(wish.name_or_arn, self._names(asked))
                self._fail(account, where, wish.name_or_arn, reason)

    def _names(self, places: t.Sequence[Place]) -> set[str]:
        """The clusters that the credentials can list, for a message. Failures are ignored."""
        names: set[str] = set()
        for place in places:
            with contextlib.suppress(AwsError):
                names |= {item["ClusterName"] for item in _summaries(place)}
        return names

    def _fail(self, account: Account, region: str | None, cluster: str, reason: str) -> None:
        self._broken.add(id(account))
        self._failures.append(Failure(account, region, cluster, reason))

    def _explained(self, failure: Failure) -> Failure:
        """The failure, with a clear reason if the ARN belongs to a different account. AWS reports various errors in this case."""
        if not failure.cluster.startswith("arn:"):
            return failure
        caller = self._caller(failure.account.profile, failure.region)
        return dataclasses.replace(failure, reason=of_another_account(failure.cluster, caller) or failure.reason)


def _summaries(place: Place) -> list[t.Any]:
    paging = {"PageSize": PAGE_SIZE}
    return place.api.pages("ListClusters", "ClusterSummaries", about="all clusters", PaginationConfig=paging)


def _places_of(account: Account) -> set[str]:
    wished = [wish.region for wish in account.wishes or () if wish.region]
    return {place_of(account, region) for region in (*account.regions, *wished, None)}
