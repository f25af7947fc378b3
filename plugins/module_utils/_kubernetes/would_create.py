# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The objects that a run would create, for check mode. No I/O."""

from __future__ import annotations

import typing as t

RUN = "*"
"""The placeholder for the identifier of the run, which is random."""
Row = dict[str, str]


def would_create(
    namespace: str,
    objects: t.Iterable[tuple[str, str]],
    pods: t.Iterable[tuple[str, str]],
    *,
    new_namespace: bool,
) -> list[Row]:
    """
    :param objects: the kind and the name of each object.
    :param pods: the name of the object that creates each Pod, and the node of the Pod.
    """
    first = [_row("Namespace", "", namespace)] if new_namespace else []
    rows = [_row(kind, namespace, name) for kind, name in objects]
    return [*first, *rows, *(_row("Pod", namespace, f"{name}-*", node) for name, node in pods)]


def _row(kind: str, namespace: str, name: str, node: str = "") -> Row:
    return {"kind": kind, "namespace": namespace, "name": name, "node": node}
