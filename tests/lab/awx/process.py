# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The process of a job: ansible-runner or ansible-inventory in a folder of its own, with its own home."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

import yaml

AS_AWX = {
    "ANSIBLE_FORCE_COLOR": "False",
    "ANSIBLE_HOST_KEY_CHECKING": "False",
    "ANSIBLE_RETRY_FILES_ENABLED": "False",
    "LANG": "C.UTF-8",
}
"""What AWX sets for its jobs."""
_INVENTORY = "#!{python}\nimport pathlib\n\nprint(pathlib.Path(__file__).with_name('hosts.json').read_text())\n"


class Unsafe(str):
    """A text that Ansible does not template."""


class _Dumper(yaml.SafeDumper):
    """Writes :class:`Unsafe` with Ansible's tag."""


_Dumper.add_representer(Unsafe, lambda dumper, value: dumper.represent_scalar("!unsafe", str(value)))


@dataclass(frozen=True)
class Order:
    """What a job runs."""

    folder: Path
    project: Path
    temporary: Path
    environment: t.Mapping[str, str] = field(default_factory=dict)
    files: t.Mapping[str, str] = field(default_factory=dict)
    """Contents of secret files by their path below ``folder``."""
    key: str = ""
    """A private key, which ansible-runner adds to an agent."""


def unsafe(value: t.Any) -> t.Any:
    """A value whose texts Ansible does not template."""
    if isinstance(value, dict):
        return {name: unsafe(each) for name, each in value.items()}
    if isinstance(value, list):
        return [unsafe(each) for each in value]
    return Unsafe(value) if isinstance(value, str) else value


def playbook(order: Order, name: str, arguments: t.Sequence[str], variables: t.Mapping[str, t.Any], inventory: t.Any) -> subprocess.Popen[str]:
    """Start ansible-runner. Its results are in ``artifacts/job``."""
    _prepare(order)
    (order.folder / "env").mkdir()
    (order.folder / "env/cmdline").write_text(shlex.join(arguments))
    (order.folder / "env/extravars").write_text(yaml.dump(dict(variables), Dumper=_Dumper))
    if order.key:
        (order.folder / "env/ssh_key").write_text(order.key)
        (order.folder / "env/ssh_key").chmod(0o600)
    (order.folder / "inventory").mkdir()
    (order.folder / "inventory/hosts.json").write_text(json.dumps(inventory))
    script = order.folder / "inventory/hosts"
    script.write_text(_INVENTORY.format(python=sys.executable))
    script.chmod(0o700)
    arguments = ("-m", "ansible_runner", "run", str(order.folder), "-p", name, "--ident", "job", "--inventory", str(script))
    return _started(order, (sys.executable, *arguments))


def hosts(order: Order, source: str) -> subprocess.Popen[str]:
    """Start ansible-inventory. Its output is the inventory as JSON."""
    _prepare(order)
    return _started(order, (_program("ansible-inventory"), "-i", str(order.folder / "project" / source), "--list"))


def artifacts(folder: Path) -> dict[str, t.Any]:
    """What the playbook set with set_stats for the whole run."""
    for path in sorted((folder / "artifacts/job/job_events").glob("*.json"), reverse=True):
        event = json.loads(path.read_text(encoding="utf-8"))
        if event.get("event") == "playbook_on_stats":
            return event["event_data"].get("artifact_data") or {}
    return {}


def killed(process: subprocess.Popen[str]) -> None:
    """End a process and those that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def _prepare(order: Order) -> None:
    shutil.rmtree(order.folder, ignore_errors=True)
    for path in (order.folder / "home", order.temporary):
        path.mkdir(parents=True, exist_ok=True)
    shutil.copytree(order.project, order.folder / "project", symlinks=True)
    for name, content in order.files.items():
        path = order.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        path.chmod(0o600)


def _started(order: Order, command: t.Sequence[str]) -> subprocess.Popen[str]:
    own = {"HOME": str(order.folder / "home"), "TMPDIR": str(order.temporary)}
    own["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"))
    return subprocess.Popen(
        command,
        cwd=order.folder / "project",
        env={**AS_AWX, **own, **order.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
