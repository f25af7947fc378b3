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
      - Path of the node's root file system. If it is not V(/), for example in a container that mounts the file system elsewhere,
        the tools run in a chroot of this path. This requires the command C(chroot) and the permission to use it.
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
      - Path of a file in the format of C(/dev/kmsg). The file is read instead of the kernel log of the node.
      - By default, the module reads the journal. If the journal is not available, it reads C(/dev/kmsg), and as the last resort
        C(dmesg). Lines of C(dmesg) are only hints, and never make a node unfit.
    type: str
    default: ''
"""
