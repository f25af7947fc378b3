# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hashes of a cluster's declaration, for the comparison with the last full look (a run of reconcile that checks everything).

Plain data in and out.
"""

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import digest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn, declared_people, known_variables

PREFIXES = (
    *("hyperpod_", "accounts_", "host_keys_", "login_nodes_", "drain_", "access_report_", "login_balancer_", "client_vpn_", "run_"),
    *("node_access_", "full_look_", "vpn_", "adopt_"),
)
"""Prefixes of this collection's variables, including extra variables, that matter to reconcile. The variables are evaluated, so a
change of a variable that they refer to also changes their values."""
NOT_DECLARED = re.compile(
    rf"hyperpod_(inventory_\w+|internal_\w+|only)|full_look_(event_time|lock_wait)|{'|'.join(known_variables.PASSED)}"
)
"""Variables with these prefixes that are no declaration: inventory data about other accounts, the selection of clusters, the event
of a run, and the run's own state."""
FILES = re.compile(r"\w+_files?")
KEYS = ("hyperpod_operations_public_key", "run_operations_public_key")
"""Variables with the operations key as a string. If one is set, no key file is read."""
KEY_FILES = re.compile(r"\w+_operations_public_key_file")
DEFAULT_KEY = {"hyperpod_operations_public_key_file": "~/.ssh/id_ed25519.pub"}
SECRET = ("private", "private_key", "password")
SETTINGS = "settings"
"""The part of a declaration that is the same on each control node, and does not change when a node is replaced."""
FOR_ONE_RUN = ("client_vpn_revoke", "node_access_recheck", "vpn_revoke")
"""Variables that request an action. Every run with such a variable carries the action out again."""

Variables = t.Mapping[str, t.Any]


class Unreadable(Exception):
    """A variable or a file that can't be read."""


def options(variables: Variables) -> dict[str, t.Any]:
    """This collection's variables of a host, evaluated. Private keys and passwords are omitted. Unknown variables with our
    prefixes have the value None, because their values may be private.
    """
    known = {*known_variables.of_people(), *known_variables.OF_INVENTORY}
    names = sorted(name for name in variables if name.startswith(PREFIXES) and not NOT_DECLARED.fullmatch(name))
    return {name: _public(evaluated(variables, name)) if name in known else None for name in names}


def asks_for_more(variables: Variables) -> bool:
    """Whether a variable of ``FOR_ONE_RUN`` is set.

    :raises Unreadable: naming the variable.
    """
    return any(evaluated(variables, name) for name in FOR_ONE_RUN if name in variables)


def hashes(
    cluster: Variables,
    nodes: t.Mapping[str, Variables],
    neighbours: t.Sequence[Variables] = (),
    *,
    host: Variables | None = None,
) -> dict[str, str]:
    """The hashes of the parts of a declaration, keyed by the name of the part.

    :param cluster: variables of the cluster's inventory host, with those of the play.
    :param host: the variables without those of the play, which differ between playbooks.
    :param nodes: variables of the representative nodes, keyed by name.
    :param neighbours: variables of the other clusters in the account and Region, whose users share the VPN.
    :raises Unreadable: naming the variable or the file.
    """
    own = options(cluster)
    of_nodes = {name: options(variables) for name, variables in nodes.items()}
    digests = {
        "version": digest(COLLECTION_VERSION),
        SETTINGS: settings(cluster if host is None else host, nodes.values()),
        "variables": digest(own),
        "variables of nodes": digest(of_nodes),
        "files": digest({path: _content(path) for path in _paths({**_key(own), **own}).union(*map(_paths, of_nodes.values()))}),
    }
    if own.get("client_vpn_client_cidr"):
        digests["people of the client VPN"] = digest(_people(own, neighbours))
    return digests


def settings(cluster: Variables, nodes: t.Iterable[Variables]) -> str:
    """A hash of the declared settings of a cluster, with the content of files instead of their paths, and without inventory data.

    :param cluster: variables of the cluster's inventory host, without those of a play.
    :param nodes: variables of the representative nodes.
    :raises Unreadable: naming the variable or the file.
    """
    own = options(cluster)
    return digest([_portable({**_key(own), **own}), sorted({digest(_portable(options(each))) for each in nodes})])


def _portable(own: Variables) -> dict[str, t.Any]:
    keys = {name: own[name] for name in KEYS if name in own}
    files = {name: value for name, value in own.items() if FILES.fullmatch(name)}
    contents = {name: sorted(_content(path) for path in _paths({**keys, name: value})) for name, value in files.items()}
    places = {*known_variables.OF_INVENTORY, *known_variables.OF_RUN}
    return {name: contents.get(name, value) for name, value in own.items() if name not in places}


def representatives(cluster: str, group: str, groups: t.Mapping[str, t.Iterable[str]]) -> list[str]:
    """The representative nodes of a cluster, from its inventory host and its group."""
    nodes = [name for name in groups.get(group, ()) if name != cluster]
    return standing_for_all(nodes, groups, set(groups.get("node_type_login", ())))


def standing_for_all(nodes: t.Iterable[str], groups: t.Mapping[str, t.Iterable[str]], login: t.Container[str]) -> list[str]:
    """Nodes that represent all nodes: every login node, and one node for each combination of groups."""
    rest = sorted(nodes)
    memberships: dict[str, list[str]] = {name: [] for name in rest}
    for group, members in sorted(groups.items()):
        for name in memberships.keys() & set(members):
            memberships[name].append(group)
    first: dict[tuple[str, ...], str] = {}
    for name in rest:
        first.setdefault(tuple(memberships[name]), name)
    return [name for name in rest if name in login or first[tuple(memberships[name])] == name]


def evaluated(variables: Variables, name: str) -> t.Any:
    """The value of a variable, with all templates evaluated.

    :raises Unreadable: naming the variable.
    """
    try:
        return declared_people.plain(variables[name])
    except Exception as error:  # a template may raise anything; the full look reports the cause
        raise Unreadable(f"{name} can't be evaluated ({type(error).__name__}).") from error


def _public(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {str(name): _public(item) for name, item in value.items() if name not in SECRET}
    if isinstance(value, (list, tuple)):
        return [_public(item) for item in value]
    return value


def _key(own: Variables) -> dict[str, str]:
    """The default file of the operations key, if no option names a file."""
    return {} if any(value for name, value in own.items() if KEY_FILES.fullmatch(name)) else DEFAULT_KEY


def _paths(own: Variables) -> set[str]:
    """Files that options name. Relative paths refer to the folder in which ansible-playbook was started."""
    given = any(own.get(name) for name in KEYS)
    return {
        str(path)
        for name, value in own.items()
        if FILES.fullmatch(name) and value and not (given and KEY_FILES.fullmatch(name))
        for path in ([value] if isinstance(value, str) else value)
    }


def _content(path: str) -> str:
    try:
        with open(os.path.expanduser(path), encoding="utf-8", errors="surrogateescape") as stream:
            return digest(stream.read())
    except OSError as error:
        raise Unreadable(f"{path} can't be read ({error.strerror}).") from error


def _people(own: Variables, neighbours: t.Sequence[Variables]) -> dict[str, list[str]]:
    """Users with a certificate, and users whose certificate is revoked. Offboarded users are in the records."""
    users = own.get("client_vpn_users", own.get("hyperpod_users")) or []
    files = own.get("client_vpn_users_files", own.get("hyperpod_users_files")) or []
    others = [
        {name: evaluated(each, name) for name in ("hyperpod_users", "hyperpod_users_files") if name in each}
        for each in neighbours
    ]
    try:
        return client_vpn.people_of(users, files, {}, others)
    except Exception as error:  # an entry may have any form
        raise Unreadable(f"The declared users of the Client VPN are invalid or unreadable ({type(error).__name__}).") from error
