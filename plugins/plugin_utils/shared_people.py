# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of clusters that share a file system. On such clusters, each UID must belong to the same user."""

from __future__ import annotations

import typing as t

from . import declared_people

Declarations = t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]]


def uid_conflicts(declarations: Declarations, files: t.Mapping[str, t.Sequence[str]] | None = None) -> list[str]:
    """Sentences about names with two UIDs and UIDs with two names, on clusters that share a file system.

    Users with ``state: absent`` and a UID also count, because their files stay.

    :param declarations: the users of each cluster, keyed by cluster key.
    :param files: the paths of the user files of each cluster, keyed by cluster key.
    """
    uids: dict[str, dict[int, str]] = {}
    names: dict[int, dict[str, str]] = {}
    for cluster, users in sorted(declarations.items()):
        for name, uid in _numbered(declared_people.declared(users, (files or {}).get(cluster, ()))):
            uids.setdefault(name, {}).setdefault(uid, cluster)
            names.setdefault(uid, {}).setdefault(name, cluster)
    sentences = [
        f"user {name} has UID {_listed(found)}, but needs the same UID on all clusters that share a file system"
        for name, found in sorted(uids.items())
        if len(found) > 1
    ]
    return sentences + [
        f"UID {uid} belongs to {_listed(found)}, so each of them could access the other's files on the shared file system"
        for uid, found in sorted(names.items())
        if len(found) > 1
    ]


def _numbered(users: t.Iterable[t.Any]) -> t.Iterator[tuple[str, int]]:
    """Pairs of a name and a UID. Entries that lack one are ignored here, and refused by the run for their own cluster."""
    for user in users:
        if isinstance(user, t.Mapping) and user.get("name") is not None and str(user.get("uid")).isdecimal():
            yield str(user["name"]), int(user["uid"])


def _listed(found: t.Mapping[t.Any, str]) -> str:
    return " and ".join(f"{value} (cluster {cluster})" for value, cluster in sorted(found.items()))
