# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of host keys: the key pairs to install, and the users to notify. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of


class MissingPair(ValueError):
    """The secret has no private key for a public key. The message contains no key."""


def pairs_of(content: t.Mapping[str, t.Any], public_keys: t.Iterable[str]) -> dict[str, t.Any]:
    """The key pairs of these public keys, keyed by type. Each pair can be in any key set of the secret.

    :raises MissingPair: if the secret does not have a pair.
    """
    sets = (content, content.get("next") or {}, content.get("previous") or {})
    pairs = {
        _key(pair["public"]): (key_type, pair)
        for of_set in sets
        for key_type, pair in (of_set.get("keys") or {}).items()
        if "private" in pair
    }
    found = {}
    for line in public_keys:
        if _key(line) not in pairs:
            raise MissingPair(f"the secret has no private key for the published {line.split()[0]} key")
        key_type, pair = pairs[_key(line)]
        found[key_type] = pair
    return found


def absent_people(
    people: t.Iterable[str], *, since: str, logins: t.Mapping[str, t.Mapping[str, t.Any]], nodes: t.Iterable[str]
) -> list[str]:
    """Sentences about users who have not logged in since the new host keys were announced.

    :param since: the time of the announcement.
    :param logins: the result of ``login_info``, keyed by login node.
    :param nodes: all login nodes.
    """
    began = moment_of(since)
    seen = {account["name"] for info in logins.values() for account in info["accounts"] if _came(account, began)}
    missing = sorted(set(people) - seen)
    if not missing:
        return [f"All declared users have logged in since {since}, when the new host keys were announced."]
    sentences = [
        f"These users have not logged in since {since}, when the new host keys were announced: {', '.join(missing)}. After the "
        "previous host keys are removed, their ssh clients refuse to connect until the users install the new known_hosts."
    ]
    for node in sorted(nodes):
        if node not in logins:
            sentences.append(f"Login node {node} could not be read, so some of these users may have logged in there.")
            continue
        history = logins[node].get("history_since")
        if history is None or moment_of(history) > began:
            known = f"has a login history only since {history}" if history else "keeps no journal"
            sentences.append(f"Login node {node} {known}, so some of these users may have logged in there before.")
    return sentences


def _came(account: t.Mapping[str, t.Any], began: t.Any) -> bool:
    last = account.get("last_login")
    return bool(last and moment_of(last["time"]) >= began)


def _key(line: str) -> tuple[str, ...]:
    return tuple(line.split()[:2])
