# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python of a compromised node: it stores what it receives, and returns hostile values for every module.

``liar.json`` in its folder has hostile facts (``facts``), the folder for received programs (``received``), and the modules that fail
(``failing``). Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import typing as t
from pathlib import Path

ESCAPES = "\x1b[2K\x1b[1A\x1b]52;c;ZWNobw==\x07 all done\nml  unchanged\u2028PLAY RECAP"
HERE = Path(sys.argv[0]).resolve().parent
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVz"
CHANGES = [
    {"action": "update", "resource": f"sshd {ESCAPES}", "field": None, "before": None, "after": ESCAPES, "host": "other"},
    {"action": "run", "resource": "x"},
    ESCAPES,
]
SESSION = {"user": ESCAPES, "state": "closing", "since": ESCAPES, "commands": [ESCAPES], "id": "1", "kind": "process"}
JOB = {
    **dict.fromkeys(("name", "user", "slurm_state", "why", "partition", "placement", "hash"), ESCAPES),
    "id": 7,
    "ours": True,
    "state": "running",
    "nodes": [ESCAPES, "10.1.1.4"],
    "switches": 1,
    "switches_wait": -1,
}
ACCOUNT = {
    "name": ESCAPES,
    "uid": 20001,
    "home": "/fsx/../../tmp",
    "shell": "/bin/sh",
    "closed": False,
    "password_login": True,
    "authorized_keys": [],
    "last_login": None,
}


def received() -> str:
    """The program that the controller sent: on standard input, or as a file among the arguments."""
    texts = [Path(word).read_text(errors="replace") for word in sys.argv[1:] if Path(word).is_file()]
    return "\n".join(texts) if texts else sys.stdin.read()


def health() -> dict[str, t.Any]:
    """A health report with hostile texts and values of wrong types."""
    problem = dict.fromkeys(("code", "cause", "part", "key", "text", "evidence"), ESCAPES)
    problems = [{**problem, "verdict": "unfit-replace"}, {**problem, "verdict": "watch", "folded": [ESCAPES]}, ESCAPES]
    devices = [{"part": ESCAPES, "key": ESCAPES, "verdict": ESCAPES}]
    return {"verdict": "fit", "problems": problems, "waived": problems, "gpus": devices, "versions": {ESCAPES: ESCAPES}, "looked_at": [ESCAPES]}


def results(module: str) -> dict[str, t.Any]:
    """Results that the playbooks need to continue."""
    endpoint = {"name": "i-lie", "port": 22, "verdict": "agrees", "host_keys": [{"type": "ed25519", "public_key": KEY, "fingerprint": ESCAPES}]}
    return {
        "accelerator_health": {"health": health()},
        "accounts": {"accounts": {"users": [{"name": ESCAPES, "state": "locked"}]}},
        "getent": {"ansible_facts": {"getent_passwd": {"mallory": ["x", "20009", "20009", ESCAPES, "/fsx/mallory", "/bin/sh"]}}},
        "host_key_info": {"host_keys": [{"type": "ed25519", "public_key": KEY, "certificate": ""}]},
        "login_info": {"login_info": {"accounts": [ACCOUNT], "history_since": "2026-01-01T00:00:00Z", "unread": [ESCAPES]}},
        "login_sessions": {"login_sessions": [SESSION]},
        "offboarded_home": {"offboarded_home": {"authorized_keys": [{"path": ESCAPES, "keys": [{"fingerprint": ESCAPES}]}]}},
        "readiness_gate": {"readiness_gate": {"ready": True, "problems": []}},
        "slurm_job": {"job": JOB},
        "slurm_job_info": {"jobs": [JOB, {**JOB, "nodes": ESCAPES, "id": ESCAPES, "ours": ESCAPES}, ESCAPES]},
        "slurm_nodes": {
            "slurm_nodes": {
                "nodes": [
                    {
                        "name": ESCAPES,
                        "address": "10.1.1.4",
                        "state": ESCAPES,
                        "features": [ESCAPES],
                        "partitions": {ESCAPES: 1},
                        "reservations": ESCAPES,
                    }
                ],
                "jobs": [{"nodes": [ESCAPES]}, ESCAPES],
            }
        },
        "slurm_user": {"slurm_user": {"jobs": [{"id": ESCAPES, "state": ESCAPES, "partition": ESCAPES, "name": ESCAPES}]}},
        "ssh_endpoint_info": {"ssh_endpoints": {"endpoints": [endpoint, {**endpoint, "name": "all", "verdict": "differs"}, {"name": []}, ESCAPES]}},
        "sshd_config": {"sshd_change": {"status": "confirmed"}},
    }.get(module, {})


def main() -> None:
    lies = json.loads((HERE / "liar.json").read_text())
    text = received()
    name = re.search(r"(?:ansible_collections\.\w+\.\w+\.plugins|ansible)\.modules\.(\w+)", text)
    module = name.group(1) if name else "none"
    place = Path(lies["received"], f"{HERE.name}-{module}-{os.getpid()}")
    place.write_text(text)
    result = results(module)
    findings = [
        {"kind": "pending", "code": ESCAPES, "text": ESCAPES, "node": "i-other"},
        {"kind": "note", "code": "lock-held", "text": f"i-other {ESCAPES}", "subject": ESCAPES},
    ]
    report = {"skipped": ESCAPES, "drift": lies["drift"], "login_name": ESCAPES}
    print(
        json.dumps(
            {
                "ping": "pong",
                "changed": True,
                "changes": CHANGES,
                "msg": ESCAPES,
                "hyperpod_report": report,
                "hyperpod_findings": findings,
                "hyperpod_failure": {"kind": "failure", "code": ESCAPES, "text": ESCAPES, "subject": ESCAPES},
                "locked_by": {"owner": ESCAPES, "expires": ESCAPES},
                "add_host": {"host_name": "ml", "groups": ["hyperpod_clusters"], "host_vars": lies["facts"]},
                "add_group": "node_type_login",
                "ansible_stats": {"data": {"hyperpod": ESCAPES, "offboard_name": "root"}},
                "warnings": [ESCAPES],
                "failed": module in lies["failing"],
                **result,
                "ansible_facts": {**lies["facts"], "hyperpod_report": report, "hyperpod_findings": findings, **result.get("ansible_facts", {})},
            }
        )
    )


main()
