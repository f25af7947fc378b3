# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of several clusters that share a file system, where a UID must belong to the same user on all clusters."""

from __future__ import annotations

import typing as t

from . import declared_people

Declarations = t.Mapping[str, t.Sequence[t.Mapping[str, t.Any]]]


def uid_conflicts(declarations: Declarations, files: t.Mapping[str, t.Sequence[str]] | None = None) -> list[str]:
    """One sentence for each name with two UIDs and each UID with two names, over clusters that share a file system.

    ``declarations`` holds each cluster's users by the cluster's key, ``files`` the paths of user files that it
    declares. Users to remove also count if their UID is given, because their files stay.
    """
    uids: dict[str, dict[int, str]] = {}
    names: dict[int, dict[str, str]] = {}
    for cluster, users in sorted(declarations.items()):
        for name, uid in _numbered(declared_people.declared(users, (files or {}).get(cluster, ()))):
            uids.setdefault(name, {}).setdefault(uid, cluster)
            names.setdefault(uid, {}).setdefault(name, cluster)
    sentences = [
        f"user {name} has UID {_listed(found)}; a user needs the same UID on a shared file system"
        for name, found in sorted(uids.items())
        if len(found) > 1
    ]
    return sentences + [
        f"UID {uid} belongs to {_listed(found)}; on a shared file system each could access the other's files"
        for uid, found in sorted(names.items())
        if len(found) > 1
    ]


def _numbered(users: t.Iterable[t.Any]) -> t.Iterator[tuple[str, int]]:
    """Names and UIDs. Entries without both are refused on their own cluster, not on a neighbour."""
    for user in users:
        if isinstance(user, t.Mapping) and user.get("name") is not None and str(user.get("uid")).isdecimal():
            yield str(user["name"]), int(user["uid"])


def _listed(found: t.Mapping[t.Any, str]) -> str:
    return " and ".join(f"{value} (cluster {cluster})" for value, cluster in sorted(found.items()))
