# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that check the accelerators of a node."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  timeout:
    description: Time limit of each tool in seconds, V(1) to V(300).
    type: int
    default: 30
  host_root:
    description:
      - Root file system of the node. If it is not V(/), as in a container that mounts it elsewhere, tools run with it as their
        root. This requires C(chroot) and the permission to use it.
    type: str
    default: /
  sysfs_root:
    description: Path of the node's sysfs.
    type: str
    default: /sys
  proc_root:
    description: Path of the node's C(/proc).
    type: str
    default: /proc
  kernel_log:
    description:
      - A file in the format of C(/dev/kmsg), such as a copy of it, to read instead of the kernel log of the node. By default the
        journal is read, else C(/dev/kmsg), else C(dmesg). Lines of C(dmesg) are only hints and make no node unfit.
    type: str
    default: ''
"""
