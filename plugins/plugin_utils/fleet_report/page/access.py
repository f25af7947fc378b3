# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section about users who have access, by SSH and through the VPN, and about certificates."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import (
    NOTHING,
    Content,
    Html,
    element,
    joined,
    separated,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, section

from ..standing import PERSON, SOON_DAYS, WAITS, hours_between
from .words import NO_VALUE, SOURCE, Row, Said, age, dim, link, mark, source, table, unknown

MOST_NAMES = 5
"""Maximum number of names in a cell."""
HEAD = (
    *("Cluster", "Login nodes in service", "Users", "Not declared", "Offboarded", "With a password", "Last login"),
    *("Certificates end", SOURCE),
)
VPN_HEAD = ("Cluster", "Users", "Connected", "Not declared", "Offboarded", "Certificates end soon", "Last connection", SOURCE)


def access(document: Said) -> Html:
    rows = [_access(document, key, each) for key, each in document["clusters"].items()]
    note = dim(
        "The users are those of the latest access_report, and the certificates those of the latest report that has any. An "
        "offboarded user counts while an account is open or a certificate is not revoked."
    )
    return section("access", "Access, users and certificates", note, table("Access", HEAD, rows), *_vpn(document))


def _access(document: Said, key: str, cluster: Said) -> Row:
    users, login, now = cluster["users"], cluster["login"], document["created"]
    found = users["found"]
    unread = count(found["nodes_not_read"], "node") + " not read" if found and found["nodes_not_read"] else ""
    serving = _login(login, now) if login else unknown("no report has this number")
    ends, origin = _certificates(cluster["certificates"], now), separated(" · ", [source(users, now), unread])
    return [link(document, key), serving, *(_users(found, now) if found else [NO_VALUE] * 5), ends, origin]


def _users(found: Said, now: str) -> list[Content]:
    last = found["last_login_not_declared"]
    undeclared = joined(found["not_declared"], _small(f"last login {age(last, now)} ago") if last else NOTHING)
    offboarded = joined(mark(PERSON), f" {found['offboarded']}") if found["offboarded"] else 0
    return [found["users"], undeclared, offboarded, found["with_password"], _ago(found["last_login"], now)]


def _login(login: Said, now: str) -> Html:
    shown = f"{login['in_service']} of {login['nodes']}"
    none = joined(mark(PERSON), " ") if login["nodes"] and not login["in_service"] else ""
    return joined(none, shown, _small(f"{age(login['started'], now)} ago"))


def _certificates(certificates: Said, now: str) -> Content:
    if not certificates["ends"]:
        return NO_VALUE
    found = sorted((end, name) for name, end in certificates["ends"].items())
    return joined(_ends(found, now), _small(f"read {age(certificates['started'], now)} ago"))


def _vpn(document: Said) -> list[Html]:
    """A table of the clusters that a run of ``vpn_report`` has read."""
    reported = {key: each for key, each in document["clusters"].items() if _has_vpn(each)}
    rows = [_of_vpn(document, key, each["vpn"]) for key, each in reported.items()]
    if not rows:
        return []
    note = dim("Users with a certificate that is not revoked, by the latest vpn_report. Clusters in one VPC have the same users.")
    return [element("h3", "Client VPN"), note, table("Client VPN", VPN_HEAD, rows)]


def _has_vpn(cluster: Said) -> bool:
    """Whether a run reported the VPN of the cluster, or should have. A run skips clusters without a VPN."""
    verb = cluster["verbs"].get("vpn_report")
    return verb is not None and (cluster["vpn"]["found"] is not None or verb["real"].get("status") != "skipped")


def _of_vpn(document: Said, key: str, vpn: Said) -> Row:
    found, now = vpn["found"], document["created"]
    if found is None:
        return [link(document, key), *[NO_VALUE] * 6, source(vpn, now)]
    soon = [(each["end"], each["name"]) for each in found["ends"] if not each["end"] or _days(each["end"], now) < SOON_DAYS]
    names = [_names(found[name]) for name in ("not_declared", "offboarded")]
    ends, last = _ends(soon, now) if soon else "none", _ago(found["last_connection"], now)
    return [link(document, key), found["users"], found["connected"], *names, ends, last, source(vpn, now)]


def _names(names: t.Sequence[str]) -> Content:
    """The users who should have no access."""
    if not names:
        return "none"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return joined(mark(PERSON), f" {', '.join(names[:MOST_NAMES])}{more}")


def _ends(ends: t.Iterable[tuple[str, str]], now: str) -> Html:
    return element("ul", (element("li", _end(end, now), f"{name} {end[:10] or NO_VALUE}") for end, name in ends))


def _end(end: str, now: str) -> Content:
    if not end or _days(end, now) >= SOON_DAYS:
        return ""
    return joined(mark(PERSON if _days(end, now) <= 0 else WAITS), " ")


def _days(end: str, now: str) -> float:
    return hours_between(now, end) / 24


def _ago(last: str, now: str) -> str:
    return f"{age(last, now)} ago" if last else "none known"


def _small(text: str) -> Html:
    return element("small", f" {text}", class_="dim")
