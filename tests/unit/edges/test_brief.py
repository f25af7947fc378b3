# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stdout callback brief omits results without information from marked plays, and prints the same as default for all others."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from simulated.controller import ansible

PLAYS = """
- name: First
  hosts: [one, two]
  gather_facts: false
  vars: {hyperpod_brief: true}
  tasks:
    - name: Unchanged
      ansible.builtin.debug: {msg: well}
    - name: Skipped
      ansible.builtin.debug: {msg: no}
      when: false
    - name: Included
      ansible.builtin.include_tasks: more.yml
    - name: Loop
      ansible.builtin.command: "true"
      changed_when: item == 2
      loop: [1, 2]
    - name: Planned
      ansible.builtin.file: {path: "{{ here }}/absent", state: touch}
      check_mode: true
    - name: Failed
      ansible.builtin.fail: {msg: broken}
      when: inventory_hostname == 'two'
    - name: Unreachable
      ansible.builtin.ping:
      vars: {ansible_connection: ssh, ansible_host: 127.0.0.1, ansible_port: 1, ansible_ssh_retries: 0}
      when: unreachable | default(false)
- name: Nobody
  hosts: nobody
  vars: {hyperpod_brief: true}
"""
MORE = """
- name: Warned
  ansible.builtin.command: "true"
  changed_when: false
  args: {removes: "{{ here }}"}
- name: Changed
  ansible.builtin.copy: {content: new, dest: "{{ here }}/{{ inventory_hostname }}", mode: "0600"}
"""
OTHER = """
- name: Second
  hosts: one
  gather_facts: false
  tasks:
    - name: Of the user
      ansible.builtin.debug: {msg: well}
"""
Printed = t.Callable[..., list[str]]


@pytest.fixture
def printed(tmp_path: Path) -> Printed:
    """A function with the printed lines that name a play, a task or a host, without their ends."""
    (tmp_path / "more.yml").write_text(MORE)
    (tmp_path / "hosts.yml").write_text("all: {hosts: {one: {}, two: {}}, vars: {ansible_connection: local}}\n")

    def run(plays: str, *arguments: str, callback: str = "mlfleet.hyperpod.brief", **variables: t.Any) -> list[str]:
        playbook = tmp_path / "plays.yml"
        playbook.write_text(plays)
        given = json.dumps({"here": str(tmp_path), "ansible_python_interpreter": "{{ ansible_playbook_python }}", **variables})
        command = ("-i", str(tmp_path / "hosts.yml"), str(playbook), "-e", given, *arguments)
        settings = {
            "ANSIBLE_STDOUT_CALLBACK": callback,
            "ANSIBLE_CALLBACKS_ENABLED": "mlfleet.hyperpod.report",
            "ANSIBLE_INVENTORY_ENABLED": "yaml",
        }
        done = ansible("playbook", *command, home=tmp_path, temporary=tmp_path / "tmp", limit=120, ANSIBLE_FORKS="1", **settings)
        return [line.rstrip(" *").partition(" =>")[0] for line in (done.stdout + done.stderr).split("\n") if line.strip()]

    return run


def test_only_changes_and_failures_of_a_marked_play_are_printed(printed: Printed) -> None:
    lines = [line for line in printed(PLAYS) if line.startswith(("PLAY", "TASK", "ok", "changed", "skipping", "included", "fatal"))]
    loop = ["TASK [Loop]", "changed: [one]", "changed: [two]"]
    assert lines == ["TASK [Changed]", "changed: [one]", "changed: [two]", *loop, "TASK [Failed]", "fatal: [two]: FAILED!"]


def test_check_mode_leaves_the_changes_to_the_report(printed: Printed) -> None:
    lines = printed(PLAYS, "--check", "--diff")
    assert not any(line.startswith(("changed", "ok", "PLAY")) for line in lines)
    assert "+new" in lines and "fatal: [two]: FAILED!" in lines


def test_an_unreachable_host_is_printed(printed: Printed) -> None:
    assert "fatal: [one]: UNREACHABLE!" in printed(PLAYS, unreachable=True)


def test_other_plays_are_printed_as_by_default(printed: Printed) -> None:
    assert printed(OTHER) == printed(OTHER, callback="default")
    assert [line for line in printed(PLAYS + OTHER) if "PLAY" in line] == ["PLAY [Second]", "PLAY RECAP"]


def test_with_v_everything_is_printed(printed: Printed) -> None:
    lines = printed(PLAYS, "-v")
    assert "PLAY [First]" in lines and "PLAY RECAP" in lines and "skipping: [one]" in lines
