# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Computes the vCPUs of nodes whose instance group disables the second thread of each core. No I/O.

EC2 and AWS's quotas count all threads of a type, even for a group with ThreadsPerCore 1.
"""

from __future__ import annotations

import typing as t

VCPU, THREADS = "vcpu", "threads_per_core"
"""Keys of an instance's amounts: its vCPUs, and the threads per core that EC2 uses by default for its type."""


def single_threaded(groups: t.Iterable[tuple[t.Iterable[str], int, int | None]]) -> dict[str, int]:
    """Instances with one thread per core, keyed by type. A flexible group counts in full for each of its types.

    :param groups: Types, size, and ThreadsPerCore of each group; None if AWS does not return it.
    """
    found: dict[str, int] = {}
    for types, target, threads in groups:
        for name in types if threads == 1 else ():
            found[name] = found.get(name, 0) + target
    return found


def with_threads(has: t.Mapping[str, float], single: int, instances: int) -> dict[str, float]:
    """The amounts of an average instance of a type: ``single`` of its ``instances`` have one thread per core."""
    threads = has.get(THREADS)
    if VCPU not in has or not threads or not instances:
        return dict(has)
    lost = (1 - 1 / threads) * single / instances
    return {**has, VCPU: has[VCPU] * (1 - lost)}
