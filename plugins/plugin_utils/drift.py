# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run in check mode found to differ, for people, build servers and monitoring. Pure: verdicts in, texts out."""

from __future__ import annotations

import collections
import re
import typing as t
from dataclasses import dataclass
from xml.etree import ElementTree

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import FAILURE, PENDING
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_text import INVENTORY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verdict import ClusterVerdict

SCHEMA = 2
IN_SYNC, UNKNOWN, DRIFT = 0, 1, 2
"""Exit statuses, and values of the metric. Drift that was found stays found, whatever else could not be told."""
WORDS = {IN_SYNC: "in sync", UNKNOWN: "could not tell", DRIFT: "drift"}
_PREFIX = "mlfleet_hyperpod_drift"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Found:
    """The clusters of one run, and when it was."""

    clusters: t.Mapping[str, ClusterVerdict]
    now: int
    not_read: tuple[str, ...] = ()
    """What the inventory could not read."""

    @property
    def exit_status(self) -> int:
        found = {status(verdict) for verdict in self.clusters.values()} | ({UNKNOWN} if self.not_read else set())
        return max(found, default=UNKNOWN)

    def line(self) -> str:
        count = len(self.clusters)
        looked = f"drift: {WORDS[self.exit_status]}; {count} cluster{'' if count == 1 else 's'} looked at"
        return "; not read: ".join([looked, *self.not_read])

    def to_json(self) -> str:
        clusters = {
            key: {
                **verdict.to_report(),
                "status": WORDS[status(verdict)],
                "hosts": sorted(verdict.subjects),
            }
            for key, verdict in sorted(self.clusters.items())
        }
        document = {
            "schema": SCHEMA,
            "created": iso_epoch(self.now),
            "status": WORDS[self.exit_status],
            "exit_status": self.exit_status,
            "inventory_failures": list(self.not_read),
            "clusters": clusters,
        }
        return json_text(document)

    def to_junit(self) -> str:
        """A suite a cluster, in it a case for the cluster itself and for each node: drift fails, doubt is an error.

        One more suite has what the inventory could not read.
        """
        root = ElementTree.Element("testsuites", name="mlfleet.hyperpod drift")
        for key, verdict in sorted(self.clusters.items()):
            suite = ElementTree.SubElement(root, "testsuite", name=key, timestamp=iso_epoch(self.now).rstrip("Z"))
            for subject in sorted({*verdict.subjects, key}):
                _add_case(suite, key, subject, verdict)
            _count(suite, of=(suite,))
        if self.not_read:
            _add_not_read(ElementTree.SubElement(root, "testsuite", name=INVENTORY), self.not_read)
        _count(root, of=root)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"

    def to_prometheus(self) -> str:
        """For the text file collector of node_exporter."""
        rows: dict[str, tuple[str, t.Callable[[ClusterVerdict], int]]] = {
            "status": ("Last look for drift: 0 in sync, 1 could not tell, 2 drift.", status),
            "changes": ("Changes that a run would make.", lambda verdict: len(verdict.changes)),
            "pending": ("Nodes and things that could not be judged.", lambda verdict: len(verdict.told(PENDING))),
            "failures": ("Failures of the last look for drift.", lambda verdict: len(verdict.told(FAILURE))),
            "timestamp_seconds": ("When the last look for drift ended.", lambda verdict: self.now),
        }
        failed = f"{_PREFIX}_inventory_failures"
        lines = [f"# HELP {failed} Parts of the inventory that could not be read.", f"# TYPE {failed} gauge"]
        lines.append(f"{failed} {len(self.not_read)}")
        for name, (text, value) in rows.items():
            lines += [f"# HELP {_PREFIX}_{name} {text}", f"# TYPE {_PREFIX}_{name} gauge"]
            lines += [
                f'{_PREFIX}_{name}{{cluster="{_label(key)}"}} {value(verdict)}'
                for key, verdict in sorted(self.clusters.items())
            ]
        lines += [f"# HELP {_PREFIX}_findings Findings by kind and code.", f"# TYPE {_PREFIX}_findings gauge"]
        lines += [row for key, verdict in sorted(self.clusters.items()) for row in _finding_rows(key, verdict)]
        return "".join(f"{line}\n" for line in lines)


def judge(clusters: t.Mapping[str, ClusterVerdict], *, now: int, not_read: t.Sequence[str] = ()) -> Found:
    return Found(dict(clusters), now, tuple(not_read))


def status(verdict: ClusterVerdict) -> int:
    if verdict.changed:
        return DRIFT
    return UNKNOWN if verdict.told(FAILURE, PENDING) or verdict.left else IN_SYNC


def _finding_rows(key: str, verdict: ClusterVerdict) -> t.Iterator[str]:
    found = collections.Counter((each.finding.kind, each.finding.code) for each in verdict.shown())
    for (kind, code), count in sorted(found.items()):
        yield f'{_PREFIX}_findings{{cluster="{_label(key)}",kind="{kind}",code="{code}"}} {count}'


def _add_case(suite: ElementTree.Element, key: str, subject: str, verdict: ClusterVerdict) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=key, name=subject)
    changes = [_words(change) for change in verdict.changes if change["host"] == subject]
    if verdict.subjects.get(subject):
        lines = changes or ["changed, by a task that does not name its changes"]
        problem = ElementTree.SubElement(case, "failure", type="drift", message=f"{len(lines)} differ")
        problem.text = _xml("\n".join(lines))
    elif doubts := _doubts(verdict, key, subject):
        codes, texts = zip(*doubts)
        problem = ElementTree.SubElement(case, "error", type=codes[0], message=_xml(texts[0]))
        problem.text = _xml("\n".join(texts))


def _add_not_read(suite: ElementTree.Element, sentences: t.Sequence[str]) -> None:
    for number, sentence in enumerate(sentences, start=1):
        case = ElementTree.SubElement(suite, "testcase", classname=INVENTORY, name=f"part {number}")
        ElementTree.SubElement(case, "error", type="unknown", message=_xml(sentence))
    _count(suite, of=(suite,))


def _doubts(verdict: ClusterVerdict, key: str, subject: str) -> list[tuple[str, str]]:
    """Why nobody knows whether the subject has drifted, as codes and texts."""
    said = [(each.finding.code, each.shown) for kind in (FAILURE, PENDING) for each in verdict.told(kind) if each.host == subject]
    return said + ([(verdict.left_code, verdict.left)] if verdict.left and subject == key else [])


def _words(change: t.Mapping[str, t.Any]) -> str:
    """Values are left out: they stand in the JSON, and a build server shows this to many."""
    return " ".join(str(change[name]) for name in ("action", "resource", "field") if change.get(name))


def _count(element: ElementTree.Element, *, of: t.Iterable[ElementTree.Element]) -> None:
    cases = [case for suite in of for case in suite]
    element.set("tests", str(len(cases)))
    element.set("failures", str(len([case for case in cases if case.find("failure") is not None])))
    element.set("errors", str(len([case for case in cases if case.find("error") is not None])))


def _label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)
