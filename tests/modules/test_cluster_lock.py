# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_lock against the simulated API, and in runs of Ansible."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import typing as t
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from modules.fixtures.account import Account
from modules.fixtures.host_keys import private_lines, stored_keys
from simulated import COLLECTIONS, REGION
from simulated.shape import one_shape


def test_taken_and_released(account):
    lock = {"cluster_arn": account.arn, "token": "a", "owner": "alice"}
    times = ["holder.acquired", "holder.expires"]
    one_shape(account, "cluster_lock", present=lock, absent={**lock, "state": "absent"}, unforeseen=times)


def test_an_eks_cluster_that_does_not_exist_yet_has_a_lock_of_its_own(account):
    arn = account.arn.replace(":sagemaker:", ":eks:").rpartition("/")[0] + "/ml"
    taken = account.run("cluster_lock", cluster_arn=arn, token="a")
    assert (taken["acquired"], taken["parameter"]) == (True, "/mlfleet/hyperpod/eks/ml/lock")
    assert not account.run("cluster_lock", cluster_arn=arn, token="b")["acquired"]
    assert account.run("cluster_lock", cluster_arn=account.arn, token="b")["acquired"]
    options = {"eks_cluster": "ml", "cluster_arn": arn, "lock": True, "state": "absent", "tags": {"a": "b"}}
    assert not account.run("eks_cluster", **options)["changed"]


def test_a_lock_passes_from_one_holder_to_the_next(account):
    options = {"cluster_arn": account.arn}
    assert account.run("cluster_lock", check=True, token="a", **options)["acquired"]
    assert account.changes() == []
    first = account.run("cluster_lock", token="a", owner="alice", **options)
    assert (first["changed"], first["acquired"], first["holder"]["owner"]) == (True, True, "alice")
    second = account.run("cluster_lock", token="a", **options)
    assert (second["changed"], second["acquired"], account.changes()) == (False, True, [])
    other = account.run("cluster_lock", token="b", **options)
    assert (other["changed"], other["acquired"], other["holder"]["owner"]) == (False, False, "alice")
    assert account.changes() == []
    assert not account.run("cluster_lock", token="b", state="absent", **options)["changed"]
    assert account.run("cluster_lock", token="a", state="absent", **options)["changed"]
    taken = account.run("cluster_lock", token="b", **options)
    assert (taken["acquired"], taken["holder"]["generation"]) == (True, 2)
    path = taken["parameter"]
    left = account.client("ssm").get_parameters_by_path(Path=path)["Parameters"]
    assert [parameter["Name"] for parameter in left] == [f"{path}/2"]


def test_only_one_of_many_gets_the_lock(account):
    with ThreadPoolExecutor(6) as pool:
        results = list(
            pool.map(lambda number: account.start("cluster_lock", cluster_arn=account.arn, token=f"run{number}"), range(6))
        )
    assert [result["acquired"] for result in results].count(True) == 1
    assert len({result["holder"]["token"] for result in results}) == 1
    assert [result["changed"] for result in results].count(True) == 1


def test_the_loser_of_two_simultaneous_attempts_gets_the_holder(account):
    account.control("settings", {"parameter_write_seconds": 3600})
    together = threading.Barrier(2)

    def reach(token: str) -> dict[str, t.Any]:
        account.start("cluster_lock", cluster_arn=account.arn, state="query")
        together.wait()
        return account.start("cluster_lock", cluster_arn=account.arn, token=token, owner=token)

    with ThreadPoolExecutor(2) as pool:
        reached = pool.map(reach, ("one", "two"))
        deadline = time.monotonic() + 60
        while "TooManyUpdates" not in [call["error"] for call in account.control("calls")] and time.monotonic() < deadline:
            time.sleep(0.05)
        account.control("settings", {"parameter_write_seconds": 0.02})
        results = list(reached)
    assert not any(result.get("failed") for result in results), results
    winner, loser = sorted(results, key=lambda result: not result["acquired"])
    assert (winner["acquired"], winner["changed"], loser["acquired"], loser["changed"]) == (True, True, False, False)
    assert loser["holder"] == winner["holder"]
    assert "TooManyUpdates" in [call["error"] for call in account.control("calls")]


def test_a_lock_whose_reply_was_lost(account):
    account.control("faults", {"kind": "cut_after", "operation": "PutParameter", "times": 1})
    result = account.run("cluster_lock", cluster_arn=account.arn, token="a")
    assert (result["acquired"], result["holder"]["generation"]) == (True, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed"),
        ({"ttl": 59}, "ttl: 59 is not allowed. Allowed: 60 to 86400 seconds"),
        ({"token": None}, "token: missing"),
    ],
)
def test_bad_input_is_refused(account, options, message):
    result = account.run("cluster_lock", **{"cluster_arn": account.arn, "token": "a", **options})
    assert message in result["msg"]
    assert account.changes() == []


def test_a_run_of_ansible_holds_the_lock_until_it_ends(account, tmp_path):
    """Two tasks of one run share the lock; the next run takes over from a run that ended without releasing it."""
    tasks = [
        {"mlfleet.hyperpod.host_key_secret": {"cluster_arn": account.arn, "lock": True}, "register": "made"},
        {"mlfleet.hyperpod.cluster_lock": {"cluster_arn": account.arn}, "register": "held"},
        {"mlfleet.hyperpod.cluster_lock": {"cluster_arn": account.arn, "token": "x"}, "register": "other"},
        {"ansible.builtin.assert": {"that": ["made is changed or second", "held.acquired", "not other.acquired"]}},
        {"ansible.builtin.assert": {"that": ["(held is changed) == second", "other.locked_by is undefined"]}},
    ]
    play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
    play["module_defaults"] = {
        f"mlfleet.hyperpod.{name}": {"region": REGION} for name in ("host_key_secret", "cluster_lock")
    }
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    for second in (False, True):
        done = playbook(account, tmp_path, second=second)
        assert done.returncode == 0, done.stdout
        assert not any(line in done.stdout + done.stderr for line in private_lines(stored_keys(account)))
    assert "ended without releasing it" in done.stdout + done.stderr


def playbook(account: Account, folder: Path, *, second: bool) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ansible", "playbook", "-vvv", "play.yml"]
    variables = {
        "second": second,
        "ansible_python_interpreter": sys.executable,
        "ansible_remote_tmp": str(folder / "tmp"),
    }
    return subprocess.run(
        [*command, "-e", json.dumps(variables)],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "AWS_ENDPOINT_URL": account.url,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret-example",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
