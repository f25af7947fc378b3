# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions that start but never respond, and a Session Manager plugin that is too old."""

from __future__ import annotations

import pathlib

import reported
from harness import World

ACCESS = str(pathlib.Path(__file__).resolve().parents[1] / "integration" / "access.yml")


def test_a_session_without_a_response_is_reported(bare: World):
    old = bare.run(["ansible-playbook", ACCESS], env={"LAB_PLUGIN_VERSION": "1.2.763.0"})
    assert old.returncode == 2 and "must be version 1.2.764.0 or newer, but its version is '1.2.763.0'" in " ".join(old.stdout.split())

    bare.reset_calls()
    bare.fault(kind="ssm_refused_channel", operation="StartSession")
    silent = bare.run(["ansible-playbook", ACCESS])
    pending = reported.cluster(bare.report())["pending"]
    assert silent.returncode == 0 and len(pending) == len(bare.hosts()), silent.stdout
    assert all("(tries: 2): does the IAM role of this run allow ssmmessages:OpenDataChannel?" in sentence for sentence in pending), pending
    begun = sum(call["operation"] == "StartSession" for call in bare.calls())
    assert 2 * len(bare.hosts()) <= begun < 3 * len(bare.hosts()), "a busy controller may restart a few sessions"

    failed = bare.playbook("login_access", timeout=900)
    assert (failed.rc, failed.status) == (2, "failed"), failed.log
    assert any("no login node is in service" in sentence.lower() for sentence in failed.cluster()["failures"]), failed.cluster()
    assert failed.cluster()["nodes_looked_at"] == 0 and len(failed.cluster()["pending"]) > len(bare.hosts())

    bare.clear_faults()
    healed = bare.run(["ansible-playbook", ACCESS])
    assert healed.returncode == 0 and reported.cluster(bare.report())["pending"] == [], healed.stdout
