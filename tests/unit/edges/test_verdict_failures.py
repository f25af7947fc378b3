# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why something failed, as a real ansible-playbook tells the callback: of loops, of modules of amazon.aws, of rescues."""

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
STRANGER = f"""
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


def test_a_loop_tells_each_reason_and_a_rescue_tells_none_again(bench: Bench) -> None:
    run = bench.run(LOOP)
    wanted = [f"ml: Refuse addresses: address {number} is not allowed" for number in (2, 3)]
    assert (run.rc, run.cluster()["failures"]) == (2, wanted), run.output
    assert [line for line in run.lines if "failure" in line] == [f"    - failure: {each}" for each in wanted]
    assert "One or more items failed" not in "\n".join(run.lines)


def test_a_loop_of_a_node_is_told_in_printable_words_of_its_own(bench: Bench) -> None:
    run = bench.run(STRANGER)
    told = [f"{NODES[0]}: Look again: ?[2Kbad {NODES[1]}: {number}" for number in (1, 2)]
    assert (run.rc, run.cluster()["failures"]) == (2, told), run.output


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulator(tmp_path_factory.mktemp("aws")) as url:
        yield Simulated(url)


def _refused(bench: Bench, aws: Simulated, operation: str, **variables: str) -> Run:
    """A security group is kept, but AWS refuses one of the calls."""
    vpc = aws.client("ec2").create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    aws.fault(kind="error", operation=operation, code="UnauthorizedOperation", status=403)
    where = {"AWS_ENDPOINT_URL": aws.url, "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"}
    try:
        return bench.run(GROUP, "-e", f"vpc={vpc}", **where, **variables)
    finally:
        aws.clear_faults()


def test_what_aws_refused_is_told_once(bench: Bench, aws: Simulated) -> None:
    (told,) = _refused(bench, aws, "DescribeSecurityGroups").cluster()["failures"]
    assert told.startswith("ml: Keep the group: ") and told.count("injected into") == 1, told


def test_where_the_module_drops_what_aws_said_the_report_says_how_to_see_it(bench: Bench, aws: Simulated) -> None:
    """amazon.aws's module keeps nothing of it but the traceback."""
    run = _refused(bench, aws, "AuthorizeSecurityGroupIngress", ANSIBLE_DISPLAY_TRACEBACK="error")
    (told,) = run.cluster()["failures"]
    assert "ANSIBLE_DISPLAY_TRACEBACK=error shows it" in told and "(UnauthorizedOperation)" in run.output, run.output
