# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory source's options as values."""

from __future__ import annotations

import fnmatch
import re
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refusal_text, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import check_node_types
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import nearest

CONNECTIONS = ("ssm", "jump", "direct")
ORCHESTRATORS = ("slurm", "eks")

Raw = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Filters:
    """The filters for clusters. A cluster is included if it passes all of them."""

    names: tuple[str, ...] = ()
    """Glob patterns, one of which must match."""
    tags: t.Mapping[str, str] = field(default_factory=dict)
    orchestrator: str | None = None

    def left_out_by(
        self, *, name: str | None = None, orchestrator: str | None = None, tags: t.Mapping[str, str] | None = None
    ) -> str:
        """The filter that excludes a cluster, as in the source; empty if none does. Fields that are not known yet are None."""
        if name is not None and self.names and not any(fnmatch.fnmatchcase(name, pattern) for pattern in self.names):
            return f"filters.name: {', '.join(self.names)}"
        if orchestrator is not None and self.orchestrator not in (None, orchestrator):
            return f"filters.orchestrator: {self.orchestrator}"
        for tag, value in self.tags.items():
            if tags is not None and not (tag in tags and fnmatch.fnmatchcase(tags[tag], value)):
                return f"filters.tags.{tag}: {value}"
        return ""


@dataclass(frozen=True)
class Wish:
    """A cluster that the source names, with its settings in the source."""

    name_or_arn: str
    key: str | None
    connection: str
    node_types: t.Mapping[str, str]
    named_groups: tuple[str, ...] = ()
    """The instance groups in the cluster's own ``node_types``."""

    @property
    def region(self) -> str | None:
        """The Region to read; None for every Region of the account."""
        return ClusterArn.parse(self.name_or_arn).region if self.name_or_arn.startswith("arn:") else None


@dataclass(frozen=True)
class Account:
    """One set of credentials, with Regions and filters."""

    profile: str | None
    regions: tuple[str, ...]
    filters: Filters
    connection: str
    node_types: t.Mapping[str, str]
    wishes: tuple[Wish, ...] | None
    """The named clusters; None for every cluster that passes the filters."""

    @property
    def credentials(self) -> str:
        return f"profile {self.profile}" if self.profile else "default credentials"


def accounts_of(options: Raw) -> tuple[Account, ...]:
    """One account from the top-level options, or the accounts under ``accounts``, which inherit the top-level options.

    :raises Refused: for the first invalid option.
    """
    defaults = {name: options.get(name) for name in ("profile", "regions", "filters", "connection", "node_types")}
    raw_accounts = options.get("accounts")
    if not raw_accounts:
        return (_account({"clusters": options.get("clusters")}, defaults, ""),)
    if options.get("clusters"):
        raise Refused(
            refusal_text("clusters", "a list next to accounts", "a list under each account, as accounts[0].clusters"),
            option="clusters",
        )
    return tuple(_account(raw, defaults, f"accounts[{index}]") for index, raw in enumerate(raw_accounts))


def check_options(config: Raw, known: t.Collection[str]) -> None:
    """
    :raises Refused: for a top-level name that is not an option of the plugin.
    """
    _check_names(config, "the source", sorted(known))


def _account(raw: t.Any, defaults: Raw, where: str) -> Account:
    """``where``: the path of the account in messages; empty for the top level of the source."""
    _check_names(raw, where, ("profile", "regions", "filters", "connection", "node_types", "clusters"))
    merged = {name: defaults.get(name) if raw.get(name) is None else raw[name] for name in (*defaults, "clusters")}
    within = f"{where}." if where else ""
    connection = _choice(f"{within}connection", merged["connection"] or "ssm", CONNECTIONS)
    node_types = {**_node_types(defaults["node_types"], "node_types"), **_node_types(raw.get("node_types"), f"{within}node_types")}
    clusters = merged["clusters"]
    wishes = None
    if clusters is not None:
        wishes = tuple(
            _wish(item, connection, node_types, f"{within}clusters[{index}]")
            for index, item in enumerate(_list(clusters, f"{within}clusters"))
        )
    return Account(
        profile=str(merged["profile"]) if merged["profile"] else None,
        regions=tuple(str(region) for region in _list(merged["regions"] or [], f"{within}regions")),
        filters=_filters(merged["filters"] or {}, f"{within}filters"),
        connection=connection,
        node_types=node_types,
        wishes=wishes,
    )


def _wish(raw: t.Any, connection: str, node_types: t.Mapping[str, str], where: str) -> Wish:
    if isinstance(raw, str):
        raw = {"arn" if raw.startswith("arn:") else "name": raw}
    _check_names(raw, where, ("name", "arn", "key", "connection", "node_types"))
    if bool(raw.get("name")) == bool(raw.get("arn")):
        refuse_option(where, dict(raw), "either name or arn")
    if raw.get("arn"):
        ClusterArn.parse(str(raw["arn"]), option=f"{where}.arn")
    key = raw.get("key")
    if key is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", str(key)):
        refuse_option(f"{where}.key", key, "letters, digits, '_', '.' and '-', beginning with a letter or digit")
    return Wish(
        name_or_arn=str(raw.get("name") or raw.get("arn")),
        key=None if key is None else str(key),
        connection=_choice(f"{where}.connection", raw.get("connection") or connection, CONNECTIONS),
        node_types={**node_types, **_node_types(raw.get("node_types"), f"{where}.node_types")},
        named_groups=tuple(raw.get("node_types") or ()),
    )


def _filters(raw: t.Any, where: str) -> Filters:
    _check_names(raw, where, ("name", "tags", "orchestrator"))
    names = raw.get("name") or []
    tags = raw.get("tags") or {}
    if not isinstance(tags, dict):
        refuse_option(f"{where}.tags", tags, "a dictionary of tag names and values")
    orchestrator = raw.get("orchestrator")
    return Filters(
        names=tuple(str(name) for name in ([names] if isinstance(names, str) else _list(names, f"{where}.name"))),
        tags={str(name): str(value) for name, value in tags.items()},
        orchestrator=_choice(f"{where}.orchestrator", orchestrator, ORCHESTRATORS) if orchestrator else None,
    )


def _node_types(raw: t.Any, option: str) -> dict[str, str]:
    if raw is not None and not isinstance(raw, dict):
        refuse_option(option, raw, "a dictionary of instance groups and node types")
    return check_node_types({str(group): str(kind) for group, kind in (raw or {}).items()}, option=option)


def _check_names(raw: t.Any, where: str, allowed: t.Sequence[str]) -> None:
    if not isinstance(raw, dict):
        refuse_option(where, raw, "a dictionary with " + ", ".join(allowed))
    for name in raw:
        if name not in allowed:
            meant = nearest(str(name), allowed)
            refuse_option(where, str(name), ", ".join(allowed), f"the nearest name is {meant}" if meant else "")


def _list(value: t.Any, where: str) -> list[t.Any]:
    if not isinstance(value, list):
        refuse_option(where, value, "a list")
    return value


def _choice(option: str, value: t.Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        refuse_option(option, value, ", ".join(allowed))
    return str(value)
