# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons of failures as a real ansible-playbook passes them to the callback: loops, modules of amazon.aws, rescues."""

from __future__ import annotations

import typing as t

import pytest
from simulated import Simulated, simulator
from simulated.verdict_runs import NODES, Bench, Run

NODE = f"ml-{NODES[0]}"
LOOP = """
- hosts: ml
  gather_facts: false
  tasks:
    - name: Leave out what is ignored
      ansible.builtin.fail: {msg: "ignored {{ item }}"}
      loop: [0]
      ignore_errors: true
    - block:
        - name: Refuse addresses
          ansible.builtin.assert: {that: "item < 2", fail_msg: "address {{ item }} is not allowed", quiet: true}
          loop: [1, 2, 3]
      rescue:
        - ansible.builtin.include_role: {name: mlfleet.hyperpod.run, tasks_from: cluster/failed}
"""
HOSTILE = f"""
- hosts: {NODE}
  gather_facts: false
  tasks:
    - name: Look again
      ansible.builtin.assert: {{that: false, fail_msg: "\\e[2Kbad\\n{NODES[1]}: {{{{ item }}}}", quiet: true}}
      loop: [1, 2]
"""


GROUP = """
- hosts: ml
  gather_facts: false
  tasks:
    - name: Keep the group
      amazon.aws.ec2_security_group:
        name: balancer
        description: balancer
        vpc_id: "{{ vpc }}"
        region: us-west-2
        rules: [{proto: tcp, ports: 22, cidr_ip: 10.0.0.0/8}]
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("verdict"))


def test_each_failure_of_a_loop_is_reported_once(bench: Bench) -> None:
    run = bench.run(LOOP)
    wanted = [f"ml: Refuse addresses: address {number} is not allowed" for number in (2, 3)]
    assert (run.rc, run.cluster()["failures"]) == (2, wanted), run.output
    assert [line for line in run.lines if "failure" in line] == [f"    - failure: {each}" for each in wanted]
    assert "One or more items failed" not in "\n".join(run.lines)


def test_failures_of_a_nodes_loop_are_made_printable(bench: Bench) -> None:
    run = bench.run(HOSTILE)
    messages = [f"{NODES[0]}: Look again: ?[2Kbad {NODES[1]}: {number}" for number in (1, 2)]
    assert (run.rc, run.cluster()["failures"]) == (2, messages), run.output


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulator(tmp_path_factory.mktemp("aws")) as url:
        yield Simulated(url)


def _refused(bench: Bench, aws: Simulated, operation: str, **variables: str) -> Run:
    """A run that manages a security group while AWS denies one of the calls."""
    vpc = aws.client("ec2").create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    aws.fault(kind="error", operation=operation, code="UnauthorizedOperation", status=403)
    where = {"AWS_ENDPOINT_URL": aws.url, "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"}
    try:
        return bench.run(GROUP, "-e", f"vpc={vpc}", **where, **variables)
    finally:
        aws.clear_faults()


def test_a_denied_call_is_reported_once(bench: Bench, aws: Simulated) -> None:
    (failure,) = _refused(bench, aws, "DescribeSecurityGroups").cluster()["failures"]
    assert failure.startswith("ml: Keep the group: ") and failure.count("injected into") == 1, failure


def test_the_report_says_how_to_show_an_error_that_the_module_hides(bench: Bench, aws: Simulated) -> None:
    """The module of amazon.aws returns AWS's error only in the traceback."""
    run = _refused(bench, aws, "AuthorizeSecurityGroupIngress", ANSIBLE_DISPLAY_TRACEBACK="error")
    (failure,) = run.cluster()["failures"]
    assert "ANSIBLE_DISPLAY_TRACEBACK=error shows it" in failure and "(UnauthorizedOperation)" in run.output, run.output
