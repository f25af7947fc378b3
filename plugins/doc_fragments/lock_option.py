# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of modules that take the lock of a cluster themselves."""

from __future__ import annotations


class ModuleDocFragment:
    """Goes with ``LOCK_OPTION`` and ``run_aws`` of ``module_utils/_lock/run.py``.

    Modules that need the cluster for its lock only also extend ``mlfleet.hyperpod.lock_option.cluster``.
    """

    DOCUMENTATION = r"""
options:
  lock:
    description:
      - Whether this run must hold the lock of the cluster O(cluster_arn) while it changes something.
      - The lock is taken just before the first change, as M(mlfleet.hyperpod.cluster_lock) does it, and stays with the
        run until it is released there. Without a change it is not taken.
      - If somebody else holds it, the module fails before it has changed anything, and the result names the holder in
        C(locked_by).
      - While the module works it looks at the lock once a minute and renews it once half of its time is over. If the lock
        was lost, it fails before its next call to AWS.
    type: bool
    default: false
"""

    CLUSTER = r"""
options:
  cluster_arn:
    description:
      - ARN of the cluster whose lock is meant. Required with O(lock=true), and without use otherwise.
    type: str
"""
