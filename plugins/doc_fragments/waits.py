# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that wait for SageMaker and show progress."""

from __future__ import annotations


class ModuleDocFragment:
    """Documents ``wait_options`` of ``module_utils/_hyperpod/waits.py``. Each module documents ``wait_timeout`` itself."""

    DOCUMENTATION = r"""
options:
  wait:
    description:
      - Whether to wait until the operation is complete.
    type: bool
    default: true
  poll_interval:
    description:
      - Seconds between two polls while waiting, V(1) to V(300). The first intervals are shorter.
    type: int
    default: 20
  _progress_file:
    description:
      - Internal, set by the action plugin. Path of a file to which the module writes a line for each resource that it waits for.
    type: path
"""
