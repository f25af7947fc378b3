# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views by name, and the process that loads them."""

from __future__ import annotations

import subprocess
import sys

import pytest

PACKAGE = "ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views"
RUN = f"""\
import multiprocessing, sys
from {PACKAGE} import ROLES, load, of_role

def loaded():
    return {{each for each in ROLES if f"{PACKAGE}.{{each}}" in sys.modules}}

def read(role, name):
    before = loaded()
    assert of_role(role)[name].__name__ == name
    print(*sorted(loaded() - before))

def read_in_a_worker(*name):
    worker = multiprocessing.get_context("fork").Process(target=read, args=name)
    worker.start()
    worker.join()

%s
"""


def _printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", RUN % program], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def test_a_view_loads_only_views_of_its_role():
    assert _printed("read('status', 'names')") == ["status"]


def test_a_worker_does_not_reload_views_of_its_parent():
    assert _printed("load('status')\nread_in_a_worker('status', 'names')\nread_in_a_worker('drain', 'chosen')") == ["", "drain"]


def test_a_role_without_views_has_nothing_to_load():
    assert _printed("load('nothing')\nprint(*loaded())") == [""]


def test_an_unknown_view_is_an_error():
    with pytest.raises(subprocess.CalledProcessError):
        _printed("read('status', 'nothing')")
