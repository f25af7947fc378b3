# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

from lab.cli import home
from lab.names import Paths, cache_folder


def test_the_environment_of_the_lab_replaces_that_of_the_caller(tmp_path):
    outside = {"AWS_PROFILE": "mine", "ANSIBLE_HOST_KEY_CHECKING": "False", "https_proxy": "p", "TERM": "xterm"}
    env = home.environment(Paths(tmp_path), outside)
    assert env["TERM"] == "xterm"
    assert not {"AWS_PROFILE", "ANSIBLE_HOST_KEY_CHECKING", "https_proxy"} & set(env)
    assert env["AWS_ENDPOINT_URL"] == "http://127.0.0.1:5000"
    assert env["HOME"].startswith(str(tmp_path))
    assert env["MLFLEET_HYPERPOD_CACHE"] == str(cache_folder()), "the cache of the caller is still used"


def test_only_root_gets_another_home():
    passwd = "root:x:0:0:root:/root:/bin/bash\nrootlike:x:1:1::/root:/bin/sh\n+::::::\n"
    assert home.with_root_home(passwd, Path("/new")).splitlines() == [
        "root:x:0:0:root:/new:/bin/bash",
        "rootlike:x:1:1::/root:/bin/sh",
        "+::::::",
    ]
