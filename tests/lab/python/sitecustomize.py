# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python in the lab's shell: modules run in forks of a process that has loaded boto3. All the rest keeps compiled
modules, as the nodes' does, and is in no hurry to collect garbage, since nearly all of its processes are over after half a
second; a worker of ansible-playbook, which is a fork, collects none, so that it shares its parent's memory.
"""

import forks

PROGRAM = forks.prepare()

import gc  # noqa: E402
import os  # noqa: E402

import kept_code  # noqa: E402

gc.set_threshold(100_000, 50)
os.register_at_fork(before=gc.freeze, after_in_child=gc.disable)
kept_code.keep()
if PROGRAM == "ansible-playbook":
    import kept_imports

    kept_imports.keep()
