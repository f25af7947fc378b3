# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that wait for SageMaker and show progress."""

from __future__ import annotations


class ModuleDocFragment:
    """Goes with ``wait_options`` of ``module_utils/_hyperpod/waits.py``; each module documents its own ``wait_timeout``."""

    DOCUMENTATION = r"""
options:
  wait:
    description:
      - Whether to wait until AWS has completed the operation.
    type: bool
    default: true
  poll_interval:
    description:
      - Seconds between two polls while waiting, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 20
  _progress_file:
    description:
      - Internal, set by the action plugin. File that receives a line for each resource that is waited for.
    type: path
"""
