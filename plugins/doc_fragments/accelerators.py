# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that look at the accelerators of a node."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  timeout:
    description: Seconds, from 1 to 300, that each tool has.
    type: int
    default: 30
  host_root:
    description:
      - Where the node's root file system is. In a container that has it mounted elsewhere, its tools run with it as theirs, which
        needs C(chroot) and the right to use it.
    type: str
    default: /
  sysfs_root:
    description: Where the node's sysfs is.
    type: str
    default: /sys
  proc_root:
    description: Where the node's C(/proc) is.
    type: str
    default: /proc
  kernel_log:
    description:
      - A file in the format of C(/dev/kmsg), such as a copy of it, that is read instead of the node's kernel log. By default that
        is the journal, else C(/dev/kmsg), else C(dmesg), whose lines are hints and make no node unfit.
    type: str
    default: ''
"""
