# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/mutants.py: the mutants, the sample, and the tests that run for a mutant."""

from __future__ import annotations

from collections import Counter

import pytest

from tools.figures.house import House
from tools.mutation import draw, operators, report
from tools.mutation.concerned import Concerned
from tools.mutation.places import Mutant, Source
from tools.mutation.sandbox import Ended, ended

UNCHANGED = '''"""A word."""
from __future__ import annotations

import typing as t

DOCUMENTATION = "word"
__all__ = ["a", "b"]
Names = dict[str, "word"]


def f(x: t.Literal["a", "b"], y: "C") -> "D":
    """Word."""
    t.cast("list[str]", f"{x}: 1 {y!r}")


@dataclass(frozen=True)
class A:
    """Word."""

    x: t.Literal["a", "b"]


if t.TYPE_CHECKING:
    import os

if __name__ == "__main__":
    f("a", 2)
'''


def changes(text: str) -> set[tuple[str, str]]:
    """Kind and changed line of all mutants of a text."""
    source = Source("plugins/a.py", text)
    valid = [each for each in operators.mutants(source) if operators.is_valid(each, text)]
    return {(each.kind, each.apply(text).split("\n")[each.line - 1].strip()) for each in valid}


@pytest.mark.parametrize(
    ("line", "kind", "expected"),
    [
        ("y = a <= b", "comparison", {"y = a < b", "y = a > b"}),
        ("y = a  is not  b", "comparison", {"y = a  is  b"}),
        ("y = (a) in (b)", "comparison", {"y = (a) not in (b)"}),
        ("y = a or b and c", "and/or", {"y = ((a) and (b and c))", "y = a or ((b) or (c))"}),
        ("y = 1 if a else b", "negated", {"y = 1 if (not (a)) else b"}),
        ("y = [a for a in b if a]", "condition dropped", {"y = [a for a in b if True]"}),
        ("f(a)", "call removed", {"pass"}),
        ("raise f(a)", "raise removed", {"pass"}),
        ("y = a, b", "element dropped", {"y = b", "y = a,"}),
        ("f([a, b, c])", "element dropped", {"f([b, c])", "f([a, c])", "f([a, b])"}),
        ("y = any(a)", "any/all", {"y = all(a)"}),
        ("y = a - b", "arithmetic", {"y = a + b"}),
        ("y = 'ä', 9", "off by one", {"y = 'ä', 10"}),
        ("y = f(0o700)", "mode", {"y = f(0o755)"}),
        ("y = f(a=True)", "bool", {"y = f(a=False)"}),
        ("y = f('TCP', 'two words', '')", "string", {"y = f('TCx', 'two words', '')"}),
        ("y = {'x': a}", "string", {"y = {'y': a}"}),
        ("def f(a=22, *, b=False, c='', d=None): pass", "default",
         {f"def f(a={a}, *, b={b}, c={c}, d=None): pass" for a, b, c in ((23, False, "''"), (22, True, "''"), (22, False, '"x"'))}),
    ],
)  # fmt: skip
def test_a_line_has_all_mutants_of_a_kind(line, kind, expected):
    assert {changed for found, changed in changes(line + "\n") if found == kind} == expected


def test_returns_and_exception_handlers_are_changed():
    text = "def f(a):\n    try:\n        return a\n    except E:\n        g()\n        return None\n"
    assert ("return", "return None") in changes(text)
    assert ("handler removed", "raise") in changes(text)
    assert not {each for each in changes("try:\n    pass\nexcept E:\n    raise\n") if each[0] == "handler removed"}


def test_documentation_types_and_main_blocks_are_not_changed():
    assert changes(UNCHANGED) == {("call removed", "pass")}


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("@dataclass(frozen=True)\nclass A:\n    x: int = 1\n    def f(self):\n        return g(True)\n", {"x: int = 1"}),
        ("y = sorted(a, key=lambda each: (each.a, each.b))\n", {"each.a, each.b"}),
        ("y = each.a, each.b\n", set()),
    ],
)
def test_mutants_that_are_often_equivalent_are_marked(text, doubted):
    lines = {text.split("\n")[each.line - 1] for each in operators.mutants(Source("plugins/a.py", text)) if each.doubt}
    assert len(lines) == len(doubted) and all(any(part in line for line in lines) for part in doubted)


def test_a_mutant_changes_nothing_else():
    text = "def f():\n    x = 'ä'\n    if x == 'b':\n        g()\n"
    (mutant,) = [each for each in operators.mutants(Source("plugins/a.py", text)) if each.kind == "comparison"]
    assert mutant.apply(text) == text.replace("==", "!=")
    assert (mutant.function, mutant.line, mutant.before, mutant.after) == ("f", 3, "==", "!=")
    assert report.diff(mutant, text).split("\n")[3:5] == ["     x = 'ä'", "-    if x == 'b':"]


@pytest.mark.parametrize(
    ("functions", "count", "expected"),
    [
        ({"a": 10, "b": 1, "c": 1}, 3, {"a": 1, "b": 1, "c": 1}),
        ({"a": 10, "b": 1, "c": 1}, 6, {"a": 4, "b": 1, "c": 1}),
        ({"a": 9, "b": 3}, 8, {"a": 6, "b": 2}),
        ({"a": 2, "b": 1}, 99, {"a": 2, "b": 1}),
        ({"a": 1, "b": 5}, 1, {"b": 1}),
    ],
)
def test_each_stratum_gets_one_mutant_and_larger_ones_get_more(functions, count, expected):
    assert draw.quotas(functions, count) == expected


def test_a_seed_draws_the_same_sample_with_one_mutant_for_each_function():
    text = "".join(f"def f{number}(a):\n    g(a == 1 and a < {number})\n" for number in range(20))
    files = [Source("plugins/filter/a.py", text), Source("plugins/module_utils/_x/y/b.py", text)]
    sample = draw.draw(files, count=10, seed=3)
    assert sample == draw.draw(files, count=10, seed=3) != draw.draw(files, count=10, seed=4)
    assert max(Counter((each.file, each.function) for each in sample).values()) == 1
    assert Counter(draw.stratum(each.file) for each in sample) == {"filter": 5, "module_utils/_x": 5}


def test_tests_are_selected_that_reach_the_file_by_imports_or_names(tmp_path):
    ours = "from ansible_collections.mlfleet.hyperpod.plugins.module_utils."
    for name, text in {
        "plugins/module_utils/_x/low.py": "A = 1",
        "plugins/module_utils/_x/high.py": "from .low import A",
        "plugins/module_utils/_x/other.py": "B = 1",
        "plugins/modules/look.py": ours + "_x.high import A",
        "tests/unit/module_utils/_x/test_low.py": ours + "_x.low import A",
        "tests/unit/module_utils/_x/test_high.py": "from simulated import A",
        "tests/unit/module_utils/_x/test_other.py": ours + "_x.other import B",
        "tests/simulated/__init__.py": ours + "_x.high import A",
        "tests/modules/x/test_look.py": "run('look')",
        "tests/unit/docs/test_modules.py": "ROOT.glob('plugins/modules/*.py')",
        "tests/unit/docs/test_pages.py": "ROOT.glob('docs/**/*.md')",
        "tests/unit/edges/test_all.py": ours + "_x.low import A",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    folder = "tests/unit/module_utils/_x"
    expected = [f"{folder}/test_low.py", f"{folder}/test_high.py", "tests/modules/x/test_look.py", "tests/unit/docs/test_modules.py"]
    assert Concerned(House(tmp_path)).tests("plugins/module_utils/_x/low.py") == expected


@pytest.mark.parametrize(
    ("status", "output", "expected"),
    [
        (0, "3 passed", Ended("passed")),
        (5, "no tests ran", Ended("passed")),
        (
            1,
            "F\nFAILED tests/unit/a/test_b.py::test_c[x - y] - assert\nFAILED tests/unit/a/test_b.py::test_c[2]\n",
            Ended("failed", ("tests/unit/a/test_b.py::test_c",)),
        ),
        (2, "ERROR tests/unit/a/test_b.py - NameError: x\n", Ended("failed", ("tests/unit/a/test_b.py",))),
    ],
)
def test_the_result_of_pytest_is_parsed(status, output, expected):
    assert ended(status, output) == expected


def test_a_run_without_tests_is_an_error():
    with pytest.raises(RuntimeError, match="no such option"):
        ended(4, "no such option")


def test_the_rate_excludes_possibly_equivalent_and_unknown_mutants():
    def outcome(verdict: str, file: str) -> report.Outcome:
        return report.Outcome(1, Mutant(file, "f", 1, "bool", 0, "True", "False"), verdict, "", 1, "")

    figures = report.figures([
        *(outcome(report.KILLED, "plugins/filter/a.py") for _each in range(3)),
        *(outcome(verdict, "plugins/action/a.py") for verdict in report.VERDICTS[1:]),
    ])  # fmt: skip
    assert figures["filter"] == {"killed": 3, "survived": 0, "equivalent?": 0, "unknown": 0}
    assert [line.split()[-2] for line in report.table(figures)][1:] == ["0", "100", "75"]
