# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views by name, and which process loads them."""

from __future__ import annotations

import subprocess
import sys

import pytest

PACKAGE = "ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views"
RUN = f"""\
import multiprocessing, pkgutil, sys
from {PACKAGE} import __path__, named

def loaded():
    return sum(f"{PACKAGE}.{{each.name}}" in sys.modules for each in pkgutil.iter_modules(__path__))

def look(name):
    before = loaded()
    assert named(name).__name__ == name.partition(".")[2]
    after = loaded()
    print("all" if after == len(list(pkgutil.iter_modules(__path__))) else after, after - before)

context = multiprocessing.get_context("fork")
%s
"""
IN_A_WORKER = """\
worker = context.Process(target=look, args=("status.names",))
worker.start()
worker.join()
"""


def _said(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", RUN % program], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def test_the_first_view_loads_all_for_the_workers_to_come():
    ((everything, _new), (of_worker, new_in_worker)) = map(str.split, _said(f"look('status.names')\n{IN_A_WORKER}"))
    assert (everything, of_worker, new_in_worker) == ("all", "all", "0")


def test_a_worker_whose_parent_loaded_none_loads_its_own():
    (said,) = _said(IN_A_WORKER)
    assert int(said.split()[0]) < 5


def test_no_view_of_this_name():
    with pytest.raises(subprocess.CalledProcessError):
        _said("look('status.nothing')")
