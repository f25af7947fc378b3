# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys and accounts on the nodes of a cluster that this collection did not set up, and which of them can be adopted.

Plain data in, plain data out. A node is a mapping with ``instance_id``, ``host_keys`` (lines) and ``accounts`` (keyed by name, the
other fields of the passwd entry).
"""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import BadKey, PublicKey
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import changes_of

Node = t.Mapping[str, t.Any]
Keys = t.Mapping[str, PublicKey]
"""Host keys, keyed by type."""
PEOPLE = range(1000, 60001)
"""UIDs that useradd gives to users."""
NO_SHELLS = ("nologin", "false", "sync")
MANY = 4


def host_keys(
    nodes: t.Iterable[Node],
    listed: t.Mapping[str, t.Any],
    types: t.Sequence[str],
    source: str = "",
    endpoints: t.Iterable[Node] = (),
) -> dict[str, t.Any]:
    """The host keys to adopt and the login node that has them; ``problem`` has the reason if none can be adopted.

    :param listed: the types of all nodes of the cluster, keyed by instance ID.
    :param source: the instance ID of the login node whose host keys are adopted if login nodes have different ones.
    :param endpoints: nodes whose host keys were read over the network only.
    """
    lines = {each["name"]: [key["public_key"] for key in each["host_keys"]] for each in endpoints}
    lines.update({node["instance_id"]: node["host_keys"] for node in nodes})
    found = {name: _keys(each, types) for name, each in lines.items() if each}
    seen = {name: keys for name, keys in found.items() if listed.get(name) == "login"}
    others = {name: keys for name, keys in found.items() if name not in seen}
    unseen = sorted(set(listed) - set(found))
    result: dict[str, t.Any] = {"public_keys": [], "source": "", "replaced": [], "unseen": unseen}
    problem = _unusable([name for name in unseen if listed[name] == "login"], seen, types, source)
    if problem:
        return {**result, "problem": problem}
    chosen = source or sorted(seen)[0]
    keys = seen[chosen]
    result["source"] = chosen
    result["public_keys"] = [keys[each].line for each in types]
    result["replaced"] = sorted(name for name, theirs in seen.items() if theirs != keys)
    return {**result, "problem": _not_theirs_alone(keys, others)}


def people(nodes: t.Iterable[Node], declared: t.Iterable[t.Mapping[str, t.Any]], operations_user: str) -> list[str]:
    """Sentences about accounts that conflict with the declaration, or that the declaration does not change."""
    wanted = {user["name"]: user for user in declared}
    uids = {int(user["uid"]): user["name"] for user in wanted.values() if str(user.get("uid", "")).isdigit()}
    other: dict[tuple[str, int], list[str]] = {}
    taken: dict[tuple[str, int], list[str]] = {}
    undeclared: dict[tuple[str, int], list[str]] = {}
    for node in nodes:
        for name, entry in _entries(node.get("accounts")):
            uid = int(entry[1])
            if name in wanted and str(wanted[name].get("uid")) != str(uid):
                other.setdefault((name, uid), []).append(node["instance_id"])
            elif name not in wanted and uid in uids:
                taken.setdefault((name, uid), []).append(node["instance_id"])
            elif name not in wanted and name != operations_user and uid in PEOPLE and not _closed(entry):
                undeclared.setdefault((name, uid), []).append(node["instance_id"])
    sentences = [
        f"{name} is declared with UID {wanted[name].get('uid')} but has {uid} on {_on(where)}. The UID is not changed, and "
        "enforce is refused until the two UIDs agree."
        for (name, uid), where in sorted(other.items())
    ]
    sentences += [
        f"UID {uid} is declared for {uids[uid]} but belongs to {name} on {_on(where)}. The account is not changed, and "
        "enforce is refused until the UID is free."
        for (name, uid), where in sorted(taken.items())
    ]
    return sentences + [
        f"{name} (UID {uid}) is not declared but has an account on {_on(where)}. The account is not changed."
        for (name, uid), where in sorted(undeclared.items())
    ]


def changes(results: t.Iterable[t.Mapping[str, t.Any]], verb: str = "enforce would") -> list[str]:
    """Sentences about the changes that modules predict in check mode. Equal changes of several nodes have one sentence.

    Changes of tags are omitted, because the adoption itself sets tags.
    """
    found: dict[str, list[str]] = {}
    for result in results:
        for change in changes_of(result.get("changes")):
            if not str(change.get("field") or "").startswith("tags."):
                found.setdefault(f"{verb} {_words(change)}", []).append(result.get("node", ""))
    return [
        sentence + (f" on {_on(sorted(where))}." if any(where) else ".")
        for sentence, where in ((sentence, [name for name in where if name]) for sentence, where in found.items())
    ]


def _unusable(unseen: t.Sequence[str], seen: t.Mapping[str, Keys], types: t.Sequence[str], source: str) -> str:
    names = ", ".join(sorted(seen)) or "none"
    if source and source not in seen:
        return not_allowed("adopt_from", source, f"login nodes whose host keys were seen ({names})")
    if not seen:
        return "No host keys of a login node could be read."
    if unseen and not source:
        return (
            f"{_on(unseen)} could not be read, so it is unknown whether all login nodes have the same host "
            "keys. Run again when all login nodes answer, or set adopt_from to the node whose keys users trust."
        )
    if not source and len({frozenset(keys.values()) for keys in seen.values()}) > 1:
        shown = "; ".join(f"{name}: {_shown(keys)}" for name, keys in sorted(seen.items()))
        return f"The login nodes present different host keys ({shown}). Set adopt_from to the node whose keys users trust."
    chosen = source or sorted(seen)[0]
    missing = [each for each in types if each not in seen[chosen]]
    if missing:
        return f"{chosen} presents no {', '.join(missing)} host key. Remove {', '.join(missing)} from host_keys_types."
    return ""


def _not_theirs_alone(keys: Keys, others: t.Mapping[str, Keys]) -> str:
    shared = {name: set(theirs.values()) & set(keys.values()) for name, theirs in others.items()}
    holders = sorted(name for name, both in shared.items() if both)
    if not holders:
        return ""
    key = sorted(shared[holders[0]], key=lambda each: each.line)[0]
    return (
        f"The login nodes share the {key.type} host key {key.fingerprint} with nodes that are not login nodes: {_on(holders)}. "
        "Such nodes could pretend to be login nodes. A possible cause is an image that was created without removing "
        "/etc/ssh/ssh_host_*. Set adopt_host_keys to false to create new host keys."
    )


def _keys(lines: t.Any, types: t.Sequence[str]) -> Keys:
    """The lines that are host keys of these types. A node may report anything, so other lines are ignored."""
    keys = []
    for line in lines if isinstance(lines, (list, tuple)) else ():
        with contextlib.suppress(BadKey):
            keys.append(PublicKey.parse(str(line)))
    return {key.type: key for key in keys if key.type in types}


def _entries(accounts: t.Any) -> list[tuple[str, t.Sequence[t.Any]]]:
    """The entries with a valid name and valid passwd fields."""
    found = accounts.items() if isinstance(accounts, t.Mapping) else ()
    return [
        (str(name), entry)
        for name, entry in found
        if isinstance(entry, (list, tuple)) and len(entry) > 1 and str(entry[1]).isdecimal()
    ]


def _closed(entry: t.Sequence[t.Any]) -> bool:
    return str(entry[-1]).rpartition("/")[2] in NO_SHELLS


def _shown(keys: Keys) -> str:
    key = keys.get("ed25519") or next(iter(keys.values()), None)
    return f"{key.type} {key.fingerprint}" if key else "none"


def _on(names: t.Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MANY else f"{', '.join(names[:2])} and {len(names) - 2} more"


def _words(change: t.Mapping[str, t.Any]) -> str:
    resource, name = change["resource"], change.get("field")
    if change["action"] == "create":
        return f"create {resource}"
    if change["action"] == "delete":
        return f"remove {resource}"
    before, after = (_short(change.get(each)) for each in ("before", "after"))
    subject = f"{name} of {resource}" if name else resource
    return f"change {subject} from {before} to {after}"


def _short(value: t.Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "none"
    return str(value)
