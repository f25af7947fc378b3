# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A digest of each user's declaration, so that runs can detect changes. Plain data in and out."""

from __future__ import annotations

import hashlib
import json
import typing as t

from . import declared_people

Users = t.Sequence[t.Any]
Host = t.Mapping[str, t.Any]
_GROUP = "instance_group_"
_OF_THE_FILE = "source"
"""The field with the file and line of an entry, which can change although the user's declaration does not."""
_USERS = ("accounts_users", "hyperpod_users")
_FILES = ("accounts_users_files", "hyperpod_users_files")


def people_digests(
    users: Users, hosts: t.Iterable[Host], offboarded: declared_people.Offboarded
) -> dict[str, dict[str, str]]:
    """The ``state`` and ``digest`` of each user's declaration, keyed by name. The digest covers the entries of the cluster, and
    those of each instance group that declares different users.

    :param users: the users of the cluster itself, without offboarded users.
    :param hosts: the variables of one node of each instance group, because group variables may declare different users.
    """
    cluster = declared_people.plain(users)
    places = {"": cluster}
    for host in hosts:
        people = declared_people.declared(_of(host, _USERS, cluster), _of(host, _FILES, []))
        theirs = declared_people.plain(declared_people.honoured(people, offboarded))
        if _entries(theirs) != _entries(cluster):
            places[str(host["hyperpod_instance_group"])] = theirs
    found: dict[str, dict[str, t.Any]] = {}
    for place, people in places.items():
        for name, entry in _entries(people).items():
            found.setdefault(name, {})[place] = entry
    return {name: {"state": _state(entries), "digest": _digest(entries)} for name, entries in found.items()}


def group_representatives(groups: t.Mapping[str, t.Sequence[str]], cluster_group: str) -> list[str]:
    """One node of each instance group of the cluster."""
    members = set(groups[cluster_group])
    found = [members & set(hosts) for name, hosts in sorted(groups.items()) if name.startswith(_GROUP)]
    return [min(hosts) for hosts in found if hosts]


def _of(host: Host, names: t.Sequence[str], default: Users) -> Users:
    found: Users = next((host[name] for name in names if host.get(name) is not None), default)
    return found


def _entries(people: Users) -> dict[str, dict[str, t.Any]]:
    return {
        str(entry["name"]): {key: value for key, value in entry.items() if key != _OF_THE_FILE}
        for entry in people
        if isinstance(entry, dict) and entry.get("name")
    }


def _state(entries: t.Mapping[str, t.Mapping[str, t.Any]]) -> str:
    """``absent`` if the user is absent in all entries, otherwise ``present``."""
    return "absent" if all(entry.get("state") == "absent" for entry in entries.values()) else "present"


def _digest(entries: t.Mapping[str, t.Any]) -> str:
    return hashlib.sha256(json.dumps(entries, sort_keys=True, default=str).encode()).hexdigest()[:32]
