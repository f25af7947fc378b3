# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology in Slurm's files: ``topology.conf`` and, since 25.11, ``topology.yaml``. All data is untrusted.

Switches form a tree, and blocks form one layer. Sources: the manual pages topology.conf(5) and topology.yaml(5).
"""

from __future__ import annotations

import itertools
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import LARGEST_LIST, document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line, rows

MOST, MOST_LAYERS = 10_000, 16
"""The maximum numbers of nodes in a file, and of layers above a node."""
CONF, DOCUMENT = "topology.conf", "topology.yaml"
PAIR = re.compile(r"(\w+)\s*=\s*(\S+)")
T = t.TypeVar("T")
GROUP = re.compile(r"^([^\[\]]*)\[([^\[\]]*)\](.*)$")
SPAN = re.compile(r"^(\d{1,9})(?:-(\d{1,9}))?$")


def layers(files: t.Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The switches or the block above each node, from the top down, keyed by Slurm's node name. ``topology.yaml`` takes precedence.

    :param files: the texts of the files, keyed by file name.
    """
    return _of_document(files.get(DOCUMENT, "")) or _of_conf(files.get(CONF, ""))


def hosts(text: str) -> list[str]:
    """Names of a host list, such as ``ip-10-1-0-[1-3,7],login1``. Other texts are returned unchanged."""
    parts = (part.strip() for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text))
    return list(itertools.islice((name for part in parts if _names_any(part) for name in _expanded(part)), MOST))


def _names_any(part: str) -> bool:
    """Whether the part contains names. Other parts are skipped, so that their brackets are not expanded."""
    groups = re.findall(r"\[([^\[\]]*)\]", part)
    return all(any(True for span in group.split(",") for _number in _numbers(span)) for group in groups)


def _expanded(part: str) -> t.Iterator[str]:
    grouped = GROUP.match(part)
    if grouped is None:
        yield from [line(part)] if part else []
        return
    before, spans, after = grouped.groups()
    for span in spans.split(","):
        for number in _numbers(span):
            yield from _expanded(f"{before}{number}{after}")


def _numbers(span: str) -> t.Iterator[str]:
    """The numbers of a range, padded with zeros like its first number, as in Slurm."""
    found = SPAN.match(span.strip())
    if found is not None:
        first, last = found[1], found[2] or found[1]
        yield from (str(number).zfill(len(first)) for number in range(int(first), int(last) + 1))


def _of_conf(text: str) -> dict[str, tuple[str, ...]]:
    lines = (each.partition("#")[0] for each in text.splitlines())
    pairs = [{name.lower(): value for name, value in PAIR.findall(each)} for each in lines]
    blocks = [(each["blockname"], each.get("nodes", "")) for each in pairs if "blockname" in each]
    switches = [(each["switchname"], each.get("nodes", ""), each.get("switches", "")) for each in pairs if "switchname" in each]
    return _tree(switches) or _blocks(blocks)


def _of_document(text: str) -> dict[str, tuple[str, ...]]:
    """The layers in ``topology.yaml``, from the cluster's default topology. Topologies of partitions are ignored."""
    try:
        topologies = rows(document(text, largest=LARGEST_LIST), MOST)
    except ValueError:
        return {}
    chosen = next((each for each in topologies if each.get("cluster_default") is True), topologies[0] if topologies else {})
    tree, block = chosen.get("tree"), chosen.get("block")
    if isinstance(tree, t.Mapping):
        found = rows(tree.get("switches"), MOST)
        return _tree([(_word(each, "switch"), _word(each, "nodes"), _word(each, "children")) for each in found])
    blocks = rows(block.get("blocks"), MOST) if isinstance(block, t.Mapping) else []
    return _blocks([(_word(each, "block"), _word(each, "nodes")) for each in blocks])


def _word(row: t.Mapping[str, t.Any], name: str) -> str:
    found = row.get(name)
    return str(found) if isinstance(found, (str, int)) else ""


def _blocks(blocks: t.Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    return _first((node, (line(name),)) for name, nodes in blocks for node in hosts(nodes))


def _tree(switches: t.Sequence[tuple[str, str, str]]) -> dict[str, tuple[str, ...]]:
    parents = _first((child, line(name)) for name, _nodes, below in switches for child in hosts(below))

    def path(name: str) -> tuple[str, ...]:
        found = [line(name)]
        while found[-1] in parents and len(found) < MOST_LAYERS:
            found.append(parents[found[-1]])
        return tuple(reversed(found))

    return _first((node, path(name)) for name, nodes, _below in switches for node in hosts(nodes))


def _first(pairs: t.Iterable[tuple[str, T]]) -> dict[str, T]:
    return dict(itertools.islice(pairs, MOST))
