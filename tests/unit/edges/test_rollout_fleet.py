# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout over 50 clusters in three accounts, from its first call to its last one."""

from __future__ import annotations

import collections
import json
import time
import typing as t
from pathlib import Path

import pytest
from simulated import REGION, simulated_aws
from simulated.quiet import ACCOUNT, Fleet

pytestmark = pytest.mark.slow

CLUSTERS = 50
NAMES = [f"ml-{number:02}" for number in range(CLUSTERS)]
ACCOUNTS = (ACCOUNT, "222222222222", "333333333333")
WAVES = [{"clusters": ["ml-07"]}, {"size": 10}, {"size": 20}]
RECORD = "/mlfleet/hyperpod/rollouts/keys"


@pytest.fixture
def fleet(tmp_path: Path) -> t.Iterator[Fleet]:
    with simulated_aws(tmp_path) as aws:
        aws.control("settings", {"policies": [{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}]})
        accounts = {name: ACCOUNTS[number % len(ACCOUNTS)] for number, name in enumerate(NAMES)}
        made = Fleet(tmp_path, aws, *NAMES, login=1, compute=0, accounts=accounts)
        made.declare(login_balancer_port=22, rollout_home_region=REGION, rollout_home_profile="333333333333", rollout_waves=WAVES)
        made.record()
        yield made


def members(fleet: Fleet) -> dict[str, str]:
    """The outcome of each cluster in the record, once AWS's replies have all four waves."""
    ssm, home = fleet.client("ssm", NAMES[2]), {}
    for wave in range(1, 5):
        text = ssm.get_parameter(Name=f"{RECORD}/waves/{wave}")["Parameter"]["Value"]
        home |= {key: outcome for key, (_settings, outcome) in json.loads(text)["members"].items()}
    return home


def test_each_cluster_has_one_wave_and_waits_in_its_own_account(fleet: Fleet) -> None:
    ran: list[str] = []
    for wave, size in enumerate((1, 10, 20, 19), 1):
        given = json.dumps({"rollout": "keys", "rollout_verb": "reconcile"})
        run = fleet.reconcile("mlfleet.hyperpod.rollout", "-e", given, "--forks", "15")
        assert run.rc == (0 if wave == 4 else 10), run.output
        last = [line for line in run.output.split("\n") if line.startswith("Rollout keys: ")][-1]
        assert f"wave {wave}: " in last and last.count(" done") == size, last
        ran += [each.split()[0] for each in last.partition(f"wave {wave}: ")[2].partition(".")[0].split(", ")]
        holds = [
            each
            for each in run.changes
            if each["operation"] in ("PutParameter", "DeleteParameter") and "rollout/hold" in json.dumps(each)
        ]
        if wave == 1:
            assert collections.Counter(each["account"] for each in holds) == {ACCOUNTS[0]: 17, ACCOUNTS[1]: 16, ACCOUNTS[2]: 16}
        else:
            assert len(holds) == size
    assert sorted(ran) == NAMES
    deadline = time.monotonic() + 30
    while set(members(fleet).values()) != {"done"}:
        assert time.monotonic() < deadline, members(fleet)
        time.sleep(0.2)
    assert sorted(members(fleet)) == NAMES
