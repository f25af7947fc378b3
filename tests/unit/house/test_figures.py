# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of tools/house.py count as their docstrings describe."""

from __future__ import annotations

import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from tools.figures import code, imports, playbooks, ratchet, roles, subjects, templates, tree, variables, words
from tools.figures.house import House

ROOT = Path(__file__).resolve().parents[3]
TASKS = "roles/a/tasks/main.yml"
VARS = "roles/a/vars/main.yml"
OURS = "ansible_collections.mlfleet.hyperpod.plugins"


@pytest.fixture
def of(tmp_path: Path) -> t.Callable[..., float]:
    """A function that computes a figure for a collection of these files."""

    def count(figure: ratchet.Figure, files: dict[str, str]) -> float:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return ratchet.number(figure, House(tmp_path))

    return count


@pytest.mark.parametrize(
    ("figure", "text", "expected"),
    [
        (templates.filters, "x: '{{ a | first | b.c.d }}'", 2),
        (templates.filters, "x: \"{{ a | map('regex_replace', '^(a|b)') }}\"", 1),
        (templates.filters, "x: '{{ (a | first) + (b | last) }} {{ c | int }}'", 3),
        (templates.filters, "# {{ a | first }}\nx: a | first", 0),
        (templates.filters, "x: !unsafe '{{ a | first }}'", 0),
        (templates.filters, "'{{ a | first }}': x", 1),
        (templates.filters, "x: &same ['{{ a | first }}']\ny: *same", 1),
        (templates.filters, "x: '{% if a | first %}{% endif %}'", 1),
        (templates.filters, "when: a | first", 0),
        (templates.filters_in_conditions, "when: a | first", 1),
        (templates.filters_in_conditions, "that: [a | first, b, 'c is d | int']", 2),
        (templates.filters_in_conditions, "x: '{{ a | first }}'", 0),
        (templates.expressions, "x: '{{ a }}{{ b }}'\nwhen: c", 2),
        (templates.over_two_filters, "x: '{{ a | b | c }}'\ny: '{{ a | b | c | d }}'", 1),
        (templates.extract_chains, "x: \"{{ a | map('extract', b) | map( 'extract', c) | map('int') }}\"", 2),
        (templates.extract_chains, "when: a | map('extract', b)", 1),
        (templates.sentences, "fail_msg: '{{ a }} is not allowed'\nmsg: none\nx: '{{ a }}'", 1),
        (templates.sentences, "hyperpod_report: {notes: ['{{ a }}', b, '{{ c }} d'], login_name: '{{ e }}'}", 2),
        (templates.sentences_made, "fail_msg: '{{ a.b }}'\nmsg: '{{ a | first }}'", 1),
        (templates.sentences_made, "fail_msg: \"{{ 'a' if b else c }}\"\nmsg: \"{{ a['b'][0] }}\"", 1),
        (variables.facts, "- set_fact: {a: 1, __b: [], cacheable: true}\n- ansible.builtin.set_fact: {a: 2}", 2),
        (variables.public_facts, "- set_fact: {a: 1, __b: []}", 1),
        (variables.set_facts, "- set_fact: {a: 1, __b: []}", 1),
        (roles.named_tasks, "- name: Get a\n  block:\n    - name: Get b\n      vars: {users: [{name: c}]}", 2),
        (roles.other_first_words, "- name: Know a\n- name: Get b", 1),
        (roles.entries, "- include_role: {name: mlfleet.hyperpod.a, tasks_from: b}\n- include_role: {name: mlfleet.hyperpod.a}", 1),
    ],
)
def test_figures_of_yaml(of, figure, text, expected):
    assert of(figure, {TASKS: text}) == expected


def test_private_variables_are_counted_in_vars_only(of):
    assert of(variables.private_variables, {VARS: "__a: &a []\n__b: *a\nc: {__d: 1}", TASKS: "- {vars: {__e: 1}}"}) == 2


def test_an_entry_with_a_spec_from_an_alias_has_a_spec(of):
    specs = {"roles/a/meta/argument_specs.yml": "argument_specs: {main: &same {options: {}}, b: *same}"}
    assert of(roles.entries_without_spec, {TASKS: "- include_role: {name: mlfleet.hyperpod.a, tasks_from: b}", **specs}) == 0
    assert of(roles.entries_without_spec, {TASKS: "- include_role: {name: mlfleet.hyperpod.a, tasks_from: c}", **specs}) == 1


@pytest.mark.parametrize(
    ("figure", "file", "text", "expected"),
    [
        (code.public_key_classes, "module_utils/a.py", "class PublicKey: ...\nclass Key: ...", 1),
        (code.error_boundaries, "modules/a.py", "def f():\n  try: g()\n  except E:\n    m.fail_json(msg=1)", 1),
        (code.error_boundaries, "modules/a.py", "def f():\n  def g():\n    try: h()\n    except E: m.fail_json_aws_error(1)", 1),
        (code.error_boundaries, "modules/a.py", "def f():\n  m.fail_json(msg=1)", 0),
        (code.filter_names, "filter/a.py", "class F:\n  def filters(self):\n    return {'a': 1, 'b': 2}", 2),
        (code.predicted_by_hand, "module_utils/a.py", "Plan(predicted=1)\nPlan(steps=2)\ndef f(predicted=1): ...", 1),
        (code.longest_function, "module_utils/a.py", "@b\ndef f():\n  def g():\n    c\n  return g\n", 4),
        (code.files_over_300, "module_utils/a.py", "a = 1\n" * 300, 0),
        (code.files_over_300, "module_utils/a.py", "a = 1\n" * 301, 1),
        (code.files_over_300, "modules/a.py", "a = 1\n" * 301, 0),
        (code.one_field_views, "plugin_utils/views/a.py", "@dataclass(frozen=True)\nclass A:\n  a: int", 1),
        (code.one_field_views, "plugin_utils/views/a.py", "@dataclass\nclass A:\n  a: int\n  b: int\nclass B:\n  a: int", 0),
        (code.one_field_views, "plugin_utils/views/a.py", "@dataclass\nclass A(B):\n  a: int", 0),
        (code.one_field_views, "plugin_utils/a.py", "@dataclass\nclass A:\n  a: int", 0),
        (tree.untested_files, "module_utils/a.py", "import b\nimport c", 1),
        (tree.untested_files, "modules/a.py", "import b\nimport c", 0),
    ],
)
def test_figures_of_python(of, figure, file, text, expected):
    assert of(figure, {f"plugins/{file}": text}) == expected


def test_indirect_imports_count_as_opened(of):
    files = {
        "plugins/modules/a.py": f"from {OURS}.module_utils._w.b import B",
        "plugins/module_utils/_w/b.py": "from . import c\nfrom .._core.plan import Plan",
        "plugins/module_utils/_w/c.py": "def f():\n  from .d import D",
        "plugins/module_utils/_w/d.py": "from .c import f",
        "plugins/module_utils/_core/plan.py": "class Plan: ...",
        "plugins/module_utils/_w/e.py": "",
    }
    assert of(imports.opened_worst, files) == 3
    assert of(imports.opened_with_ground_worst, files) == 4


def test_copies_differ_in_their_docstrings_only(of):
    files = {
        f"plugins/action/{name}.py": f'"""{name}"""\nclass A:\n    """{name}"""\n    a = {value}'
        for name, value in (("a", 1), ("b", 1), ("c", 2), ("d", 1))
    }
    assert of(code.copied_actions, files) == 2


@pytest.mark.parametrize(
    ("second", "repeated"),
    [
        ("mlfleet.hyperpod.m: {a: 2, b: 2, c: 2, d: 2}", 1),
        ("mlfleet.hyperpod.m: {a: 1, b: 1, c: 1, e: 1}", 0),
        ("mlfleet.hyperpod.n: {a: 1, b: 1, c: 1, d: 1}", 0),
    ],
)
def test_repeated_arguments_are_counted_by_module_and_names(of, second, repeated):
    assert of(roles.repeated_arguments, {TASKS: f"- mlfleet.hyperpod.m: {{a: 1, b: 1, c: 1, d: 1}}\n- {second}"}) == repeated


def test_few_arguments_may_be_repeated(of):
    assert of(roles.repeated_arguments, {TASKS: "- mlfleet.hyperpod.m: {a: 1, b: 1, c: 1}\n" * 2}) == 0


def test_figures_of_the_largest_role(of):
    files = {f"roles/{role}/tasks/{name}.yml": "[]" for role, name in (("a", "main"), ("a", "b"), ("b", "main"))}
    specs = {"roles/b/meta/argument_specs.yml": "argument_specs: {main: {}, a: {}, b: {}, c: {}}"}
    assert (of(roles.most_task_files, files), of(roles.most_entries, specs)) == (2, 3)


def test_plays_of_imported_playbooks_are_counted(of):
    play, imported = "- hosts: all\n", "- ansible.builtin.import_playbook: "
    files = {
        "playbooks/begin.yml": play,
        "playbooks/parts/a.yml": play * 2,
        "playbooks/a.yml": f"{imported}begin.yml\n{imported}parts/a.yml\n{play}",
        "playbooks/b.yml": f"{imported}a.yml\n",
    }
    assert of(playbooks.most_plays, files) == 4


def test_folders_of_subjects_and_imports_between_them(of):
    files = {
        "plugins/module_utils/_karpenter/a.py": (
            f"from {OURS}.module_utils._accelerators.node.b import B, C\n"
            f"from {OURS}.module_utils._kubernetes.client import D\n"
            "from .c import E"
        ),
        "plugins/module_utils/_karpenter/c.py": "",
        "plugins/module_utils/_accelerators/node/b.py": "",
        "plugins/module_utils/_kubernetes/client.py": "",
        "plugins/module_utils/_accelerators/kubernetes/d.py": "from ..._kubernetes import client",
        "plugins/plugin_utils/views/karpenter.py": "",
    }
    assert of(subjects.across_subjects, files) == 2
    assert of(subjects.most_folders_of_a_subject, files) == 2


@pytest.mark.parametrize(
    ("file", "text", "counted"),
    [
        ("README.md", "It tells what was told.\nTell me", 3),
        ("docs/use/a.md", "a teller", 0),
        (TASKS, "- name: Tell them\n  fail_msg: '{{ a }} told'\n  vars: {name: told}", 2),
        ("plugins/a.py", '"""It tells."""\ntold = 1\ndef f(told_by): return a.telling', 4),
        ("plugins/a.py", "a = 'told'", 0),
    ],
)
def test_a_word_is_counted_in_all_texts_for_people(of, file, text, counted):
    assert of(lambda house: words.places(house, "told"), {file: text}) == counted


def test_an_import_without_a_file_is_an_error(of):
    with pytest.raises(LookupError, match="_w.b"):
        of(imports.opened_worst, {"plugins/modules/a.py": f"from {OURS}.module_utils._w.b import B"})


@pytest.mark.parametrize(
    ("test", "misplaced"),
    [
        ("module_utils/_node/test_gate.py", 0),
        ("module_utils/_node/gate/test_units.py", 0),
        ("node/test_gate.py", 1),
        ("module_utils/_node/test_door.py", 1),
        ("edges/test_gate.py", 0),
    ],
)
def test_a_unit_test_must_mirror_the_path_of_a_file(of, test, misplaced):
    assert of(tree.misplaced_tests, {"plugins/module_utils/_node/gate.py": "import a", f"tests/unit/{test}": ""}) == misplaced


@pytest.mark.parametrize(
    ("value", "ceiling", "message"),
    [
        (100, 100, "None"),
        (95, 100, "None"),
        (101, 100, "the ceiling is 100"),
        (94, 100, "lower its ceiling from 100"),
        (0.9, 0.89, "the ceiling is 0.89"),
        (2, 3, "lower its ceiling from 3"),
        (0, 0, "None"),
        (1, 0, "the ceiling is 0"),
    ],
)
def test_a_figure_above_or_far_below_its_ceiling_is_a_problem(value, ceiling, message):
    assert message in str(ratchet.problem("a", value, ceiling))


def test_the_table_has_a_column_for_each_folder(tmp_path):
    (tmp_path / "plugins" / "modules").mkdir(parents=True)
    (tmp_path / "plugins" / "modules" / "a.py").write_text("def f(): ...")
    command = [sys.executable, ROOT / "tools" / "house.py", tmp_path]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed.split("\n")[0].split() == [tmp_path.name[-15:]]
    assert "  longest_function" in printed
