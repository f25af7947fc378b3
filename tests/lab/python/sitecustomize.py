# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python in the lab's shell: modules run in forks of a process that has loaded boto3. Other programs cache compiled
modules, as on nodes, and rarely collect garbage, because nearly all of their processes end after half a second;
workers of ansible-playbook, which are forks, collect none, so that they share their parent's memory.
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
