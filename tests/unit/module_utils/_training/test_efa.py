# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of EFA devices in the verdict: they grew, did not grow, are unknown, or do not exist."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import Desired, EfaTraffic, Verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.verdict import judge

from .logged import EFA, SOCKETS, Job, line, trained

DESIRED = Desired(nodes=2, processes=1, steps=20, deadline=60, efa=True)
SILENT = "EFA devices sent no bytes during the training, although {why}: train-0, train-1. Check the EFA devices, and read NCCL's log of each rank."


def judged(job: Job, **desired: t.Any) -> Verdict:
    return judge(dataclasses.replace(DESIRED, **{"nodes": job.nodes, "processes": job.processes, **desired}), job.logs())


@pytest.mark.parametrize(
    ("efa", "network", "required", "counters", "problems"),
    [
        ((4, 2**33), EFA, True, "grew", []),
        ((4, 0), EFA, True, "unchanged", ["efa-unused"]),
        ((4, 0), EFA, False, "unchanged", ["efa-unused"]),
        ((4, 0), (), True, "unchanged", ["carrier-unproven", "efa-unused"]),
        ((4, 0), (), False, "unchanged", []),
        ((4, 0), SOCKETS, True, "unchanged", ["carried-by-sockets"]),
        ((4, 0), SOCKETS, False, "unchanged", []),
        ((4, None), EFA, True, "unknown", []),
        ((None, None), EFA, True, "unknown", []),
        ((0, 0), EFA, True, "unknown", []),
        ((0, 0), EFA, False, "unknown", []),
        ((None, 2**33), EFA, True, "unknown", []),
        ((0, 0), SOCKETS, False, "no_devices", []),
        ((0, 0), (), False, "no_devices", []),
        ((4, 2**33), (), True, "grew", ["carrier-unproven"]),
    ],
)
def test_counters_are_judged(efa: t.Any, network: t.Any, required: bool, counters: str, problems: list[str]) -> None:
    found = judged(trained(network=network, efa=efa), efa=required)
    assert [each.counters for each in found.figures.efa] == [counters] * 2 and [each.code for each in found.problems] == problems


@pytest.mark.parametrize(("network", "why"), [(EFA, "NCCL's log shows EFA"), ((), "EFA must carry the traffic")])
def test_the_problem_names_the_pods(network: t.Any, why: str) -> None:
    assert judged(trained(network=network, efa=(4, 0))).problems[-1].text == SILENT.format(why=why)


@pytest.mark.parametrize("efa", [(4, 0), (0, 0), (None, None), (4, None)])
def test_a_single_node_needs_no_traffic(efa: t.Any) -> None:
    assert judged(trained(nodes=1, processes=2, network=SOCKETS, efa=efa), efa=False).status == "passed"
    assert not [each for each in judged(trained(nodes=1, processes=2, efa=efa)).problems if each.code == "efa-unused"]


def test_only_the_first_process_of_a_node_is_read() -> None:
    job = trained(processes=2)
    job.pods[1] = [each.replace('"efa_devices": null, "efa_sent": null', '"efa_devices": 4, "efa_sent": 0') for each in job.pods[1]]
    grew = {"counters": "grew", "devices": 4, "sent": 2**33}
    assert judged(job).figures.efa == (EfaTraffic("train-0", **grew), EfaTraffic("train-1", **grew))


@pytest.mark.parametrize("value", ["-1", "1.5", "true", '"9"', str(2**53 + 1), "[1]"])
def test_invalid_numbers_of_a_log_are_not_read(value: str) -> None:
    job = trained()
    job.pods[1] = [each.replace(f'"efa_sent": {2**33}', f'"efa_sent": {value}') for each in job.pods[1]]
    found = judged(job)
    assert [each.counters for each in found.figures.efa] == ["grew", "unknown"] and "log-incomplete" in [each.code for each in found.problems]


def test_a_program_without_counters_leaves_them_unknown() -> None:
    job = trained().without('"end"')
    for rank in job.ranks():
        job.pods[rank].append(line("end", rank, step=20, updates=20, tokens_per_second=200.0, flops_per_second=2e12))
    found = judged(job)
    assert [each.counters for each in found.figures.efa] == ["unknown"] * 2 and found.status == "passed"


def test_a_node_without_an_end_is_unknown() -> None:
    found = judged(trained().without('"end"', 1)).figures
    assert [each.counters for each in found.efa] == ["grew", "unknown"] and judged(Job()).figures.efa == ()
