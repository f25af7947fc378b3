# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that acquire the lock of a cluster themselves."""

from __future__ import annotations


class ModuleDocFragment:
    """Documents ``LOCK_OPTION`` of ``module_utils/_lock/run.py``.

    Modules that use the cluster only for its lock also extend ``mlfleet.hyperpod.lock_option.cluster``.
    """

    DOCUMENTATION = r"""
options:
  lock:
    description:
      - Whether the run must hold the lock of the cluster O(cluster_arn) while the module changes something.
      - The module acquires the lock directly before the first change, as M(mlfleet.hyperpod.cluster_lock) does. The run then holds
        the lock until M(mlfleet.hyperpod.cluster_lock) releases it. If nothing changes, the lock is not acquired.
      - If another run holds the lock, the module fails before it changes anything, and the result names the holder in
        C(locked_by).
      - While the module runs, it checks the lock once a minute, and renews the lock when half of the lock's lifetime has passed. If
        the run no longer holds the lock, the module fails before its next call to AWS.
    type: bool
    default: false
"""

    CLUSTER = r"""
options:
  cluster_arn:
    description:
      - ARN of the HyperPod cluster or EKS cluster to lock. Required with O(lock=true), otherwise ignored.
    type: str
"""
