# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs: a table of clusters and verbs, and the details of each cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import (
    NOTHING,
    Content,
    Html,
    element,
    joined,
    separated,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, section

from ..latest import FOUND, NEVER
from ..standing import NOT_KNOWN, NOT_RUN, OLD, STANDINGS, WAITS
from .now import OF_KIND
from .words import OF_STATUS, WORDS, Said, age, anchor, dim, link, mark, marked, table, when


def runs(document: Said) -> Html:
    """The latest run of each cluster and verb, with its age."""
    verbs = sorted({verb for each in document["clusters"].values() for verb in each["verbs"]})
    rows = [_row(document, key, each, verbs) for key, each in document["clusters"].items()]
    legend = separated(" · ", [marked(state) for state in (*STANDINGS, NOT_RUN)])
    note = dim("The age of the latest real run and of the latest check (--check). The mark is that of the first one. ", legend)
    shown = table("Runs", ("Cluster", *verbs), rows) if verbs else element("p", "There is no report.")
    return section("runs", "Latest runs", note, shown)


def _row(document: Said, key: str, cluster: Said, verbs: list[str]) -> list[Content]:
    unknown = bool(cluster["not_listed"])
    head = joined(mark(cluster["standing"]), " ", link(document, key))
    return [head, *(_cell(document, cluster["verbs"].get(verb), unknown=unknown) for verb in verbs)]


def _cell(document: Said, verb: Said | None, *, unknown: bool) -> Content:
    if verb is None:
        return mark(NOT_KNOWN) if unknown else element("span", "never", class_="dim")
    main, other = ("check", "real") if verb["mode"] == "check" else ("real", "check")
    ages = {mode: _age(document, verb[mode]) for mode in (main, other)}
    words = {"real": ages["real"], "check": f"check {ages['check']}"}
    more = element("small", f" ({words[other]})", class_="dim") if ages[other] != NEVER else NOTHING
    return joined(mark(verb["state"]), f" {words[main]}", more)


def _age(document: Said, latest: Said) -> str:
    if latest["state"] != FOUND:
        return NEVER if latest["state"] == NEVER else WORDS[NOT_KNOWN]
    return age(latest["started"], document["created"])


def clusters(document: Said) -> Html:
    """A filter, and each cluster as a folded part with its runs and open findings."""
    found = document["clusters"]
    options = [element("option", "every state", value="")]
    options += [element("option", WORDS[state], value=f"={state}") for state in STANDINGS]
    form = element(
        "form",
        element("label", "State ", element("select", *options, name="standing")),
        element("label", "Text ", element("input", name="text", type="search")),
        element("button", "Show all", type="reset"),
        element("output", "", name="shown"),
        id="filter",
        hidden=True,
    )
    parts = (_cluster(document, number, key, each) for number, (key, each) in enumerate(found.items()))
    return section("clusters", "Each cluster", form, element("div", parts, id="list"))


def _cluster(document: Said, number: int, key: str, cluster: Said) -> Html:
    summary = joined(mark(cluster["standing"]), " ", element("code", key), " ", element("small", cluster["why"], class_="dim"))
    nodes = ", ".join(f"{many} {status}" for status, many in cluster["nodes"].items()) or "no nodes"
    place = separated(" · ", [cluster["account"], cluster["region"], cluster["orchestrator"], f"nodes: {nodes}"])
    rows = [_verb(document, verb, each) for verb, each in cluster["verbs"].items()]
    head = ("Playbook", "State", "Latest real run", "Latest check", "Reports", "Last runs")
    shown = table(f"Runs of {key}", head, rows) if rows else element("p", cluster["why"])
    return element(
        "details",
        element("summary", summary),
        element("p", place),
        shown,
        _findings(document, cluster),
        id=anchor(number),
        data_standing=cluster["standing"],
    )


def _verb(document: Said, verb: str, each: Said) -> list[Content]:
    state = joined(mark(each["state"]), " ", each["why"])
    return [verb, state, *(_latest(document, each[mode]) for mode in ("real", "check")), each["reports"], _history(each["history"])]


def _latest(document: Said, latest: Said) -> Content:
    problem = f"a later report {latest['problem']}" if latest["state"] == FOUND else latest["problem"]
    doubt = joined(" ", mark(NOT_KNOWN), f" {problem}") if latest["problem"] else NOTHING
    if latest["state"] != FOUND:
        return joined(NEVER if latest["state"] == NEVER else WORDS[NOT_KNOWN], doubt)
    old = joined(" ", marked(OLD)) if latest["old"] else NOTHING
    changes = f", {count(latest['changes'], 'change')}"
    return joined(latest["status"], ", ", when(latest["started"], document["created"]), changes, old, doubt)


def _history(found: list[Said]) -> Html:
    """The statuses of the last runs, the oldest one first. Checks are shown smaller."""
    cells = [
        element("i", each["status"][0], data_v=OF_STATUS.get(each["status"], NOT_KNOWN), class_="k" if each["check_mode"] else None)
        for each in found
    ]
    words = ", ".join(f"{each['status']}{' (check)' if each['check_mode'] else ''}" for each in found)
    return element("span", *cells, class_="cells", role="img", aria_label=words or "not known", title=words)


def _findings(document: Said, cluster: Said) -> Html:
    if not cluster["findings"]:
        return NOTHING
    rows = [
        element(
            "li",
            mark(OLD if each["old"] else OF_KIND.get(each["kind"], WAITS)),
            " ",
            separated(" ", [element("b", each["code"]), each["node"], each["subject"], each["text"], each["next_step"]]),
            element("small", f" {each['verb']}, {age(each['started'], document['created'])} ago", class_="dim"),
        )
        for each in cluster["findings"]
    ]
    return joined(element("h3", "Open findings"), element("ul", rows, class_="found"))
