# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that run as root use no working directory, search path or import path that users can write.

The tests read every process that code for nodes starts, every script and unit that the collection writes, and every Pod's command.
"""

from __future__ import annotations

import ast
import importlib
import re
import typing as t
from dataclasses import dataclass, field

import pytest

from tools.figures.house import House

ON_NODES = ("plugins/module_utils/_node/", "plugins/module_utils/_accelerators/node/")
FOLDERS = ("_core", "_node", "_node_access", "_kubernetes", "_accelerators", "_karpenter")
"""Folders of module_utils with code that runs on nodes or is sent to them."""
STARTS = {f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call", "check_output")}
FORBIDDEN = re.compile(r"os\.(system|popen|exec\w+|spawn\w+|posix_spawn\w*)|pty\.spawn")
MARKS = re.compile(r"subprocess|os\.(system|popen|exec|spawn|posix)|pty\.|python|Exec[A-Z]|sudo -|chdir|\"command\"|^\s*(?:fi|done|esac)\b", re.M)
"""A file without any of these cannot start a process."""
COMMANDS = re.compile(r"\bansible\.(?:builtin|legacy)\.(?:command|shell|script|raw|expect):")
"""Modules that run commands of a task."""
_SHELL = re.compile(r"(?m)^\s*(?:fi|done|esac)\b")
_OWN_PATH = re.compile(r"(?m)^(?:export )?PATH=/\S+$")
_OWN_FOLDER = re.compile(r"(?m)^cd /")
_INTERPRETED = re.compile(r"(?:python[\d.]*\}?|\"\$(?:each|python)\"|\$\{?python\}?)(?P<options>(?:\s+-\w+)*)\s+-c\b")
_PYTHON = re.compile(r"(?:/\S*/)?python[\d.]*")
_UNIT_LINE = re.compile(r"(?m)^(?P<key>Exec[A-Z]\w*|WorkingDirectory)=[-@:+!]*(?P<value>\S+)(?P<rest>.*)$")
_SUDO = re.compile(r"\bsudo(?:\s+-\w+)+\s+(?P<program>[^\s\"']+)")


@dataclass
class Code:
    """Code that could start a process, by place."""

    calls: list[tuple[str, ast.Call]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Texts without documentation, with the values of f-strings in braces."""
    lists: list[tuple[str, list[str]]] = field(default_factory=list)

    def read(self, file: str, text: str) -> None:
        tree = ast.parse(text)
        inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            place = f"{file}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call):
                self.calls.append((place, node))
            elif isinstance(node, (ast.List, ast.Tuple)):
                self.lists.append((place, [_word(each) for each in node.elts]))
            elif id(node) not in inside and isinstance(node, (ast.JoinedStr, ast.Constant)):
                self.texts += [(place, each) for each in _text(node)]

    @property
    def processes(self) -> list[tuple[str, ast.Call, dict[str | None, str]]]:
        """Calls that start processes on nodes, with the values of their keywords."""
        found = [(place, node) for place, node in self.calls if place.startswith(ON_NODES) and ast.unparse(node.func) in STARTS]
        return [(place, node, {each.arg: ast.unparse(each.value) for each in node.keywords}) for place, node in found]


def _words(value: ast.expr) -> list[str]:
    return [_word(each) for each in t.cast(ast.List, value).elts]


def _word(value: ast.expr) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else f"{{{_name(value)}}}"


def _name(value: ast.expr) -> str:
    return ast.unparse(value) if isinstance(value, (ast.Name, ast.Attribute)) else ""


def _text(node: ast.JoinedStr | ast.Constant) -> list[str]:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    return ["".join(_word(each.value if isinstance(each, ast.FormattedValue) else each) for each in node.values)]


@pytest.fixture(scope="module")
def code(house: House) -> Code:
    found = Code()
    for path in house.files(*(f"plugins/module_utils/{folder}/**/*.py" for folder in FOLDERS)):
        text = path.read_text()
        if MARKS.search(text):
            found.read(house.name(path), text)
    return found


@pytest.fixture(scope="module")
def scripts(code: Code) -> dict[str, str]:
    """Complete shell scripts among the constants of modules."""
    found: dict[str, str] = {}
    for file in {place.rpartition(":")[0] for place, text in code.texts if _SHELL.search(text)}:
        module = importlib.import_module(f"ansible_collections.mlfleet.hyperpod.{file.removesuffix('.py').replace('/', '.')}")
        shell = {name: text for name, text in vars(module).items() if isinstance(text, str) and _SHELL.search(text)}
        fragments = {name for name, text in shell.items() for other in shell.values() if text != other and text in other}
        found |= {f"{file} {name}": text for name, text in shell.items() if name not in fragments}
    return found


def test_a_process_on_a_node_starts_in_the_root_folder(code: Code) -> None:
    assert len(code.processes) > 5
    wrong = [place for place, _node, keywords in code.processes if keywords.get("cwd") != "'/'"]
    assert wrong == [], "each process on a node must have cwd='/', because the current folder may belong to a user"


def test_a_process_on_a_node_has_an_explicit_environment(code: Code) -> None:
    wrong = [place for place, _node, keywords in code.processes if "env" not in keywords or "os.environ" in keywords["env"]]
    assert wrong == [], "each process on a node must have an env that inherits nothing"


def test_a_process_on_a_node_is_started_by_its_path(code: Code) -> None:
    first = [(place, _words(node.args[0])[:1]) for place, node, _keywords in code.processes if isinstance(node.args[0], ast.List)]
    wrong = [place for place, words in first if not words[0].startswith(("/", "{"))]
    wrong += [place for place, _node, keywords in code.processes if "shell" in keywords]
    assert first and wrong == [], "a process must be started by its path, and without shell=True"


def test_nothing_else_starts_a_process_on_a_node(code: Code) -> None:
    found = [place for place, node in code.calls if place.startswith(ON_NODES) and FORBIDDEN.fullmatch(_name(node.func))]
    assert found == []


def test_tasks_start_no_commands(house: House) -> None:
    """Ansible would start them in the home directory of the operations account, with its environment."""
    files = house.files("roles/**/*.yml", "playbooks/**/*.yml")
    assert len(files) > 100
    assert [house.name(file) for file in files if COMMANDS.search(file.read_text())] == [], "use a module with cwd and env instead"


def test_python_is_isolated_from_folders_and_variables(code: Code) -> None:
    started = [(place, *pair) for place, words in code.lists for pair in zip(words, [*words[1:], ""])]
    wrong = [place for place, word, following in started if word == "{sys.executable}" and following != "-I"]
    commands = [(place, words) for place, words in code.lists if len(words) > 1 and _PYTHON.fullmatch(words[0])]
    in_scripts = [(place, each["options"]) for place, text in code.texts for each in _INTERPRETED.finditer(text)]
    wrong += [place for place, options in in_scripts if "-I" not in options.split()]
    wrong += [place for place, words in commands if words[1] != "-I"]
    assert in_scripts and commands
    assert wrong == [], "use python -I, because otherwise the working folder is on the import path"


def test_units_name_programs_by_their_paths(code: Code) -> None:
    found = [(place, each) for place, text in code.texts for each in _UNIT_LINE.finditer(text)]
    assert found, "no units were found"
    wrong = [place for place, each in found if not each["value"].startswith(("/", "{"))]
    wrong += [place for place, each in found if each["value"] == "{python}" and not each["rest"].startswith(" -I ")]
    wrong += [place for place, each in found if each["key"] == "WorkingDirectory" and each["value"] != "/"]
    assert wrong == []


def test_scripts_set_their_search_path_and_their_folder(scripts: dict[str, str]) -> None:
    assert any(place.endswith("programs.py LAUNCHER") for place in scripts) and len(scripts) > 2, scripts.keys()
    assert {place for place, text in scripts.items() if not _OWN_PATH.search(text)} == set()
    assert {place for place, text in scripts.items() if not _OWN_FOLDER.search(text)} == set()


def test_sudo_starts_programs_by_their_paths(code: Code) -> None:
    found = [(place, each["program"]) for place, text in code.texts for each in _SUDO.finditer(text)]
    assert found and [place for place, program in found if not program.startswith("/")] == [], found


def test_slurm_starts_no_process_in_a_shared_folder(code: Code) -> None:
    folders = {text for _place, text in code.texts if text.startswith("--chdir=")}
    assert folders == {"--chdir=/", "--chdir={desired.working_directory}"}, "the second is an option of sbatch, which runs as the job's user"


@pytest.mark.parametrize(
    ("text", "isolated"),
    [("python3 -c 'x'", False), ('exec "$python" -c x', False), ('"$each" -I -c x', True), ("python3.12 -Es -I -c x", True)],
)
def test_calls_of_python_in_scripts_are_recognised(text: str, isolated: bool) -> None:
    (found,) = _INTERPRETED.finditer(text)
    assert ("-I" in found["options"].split()) is isolated
