# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python of a node that keeps its people in ``people.json`` beside it, and has nothing to change otherwise.

``asked`` beside it has the name of each module it ran, one a line; what ``told.json`` beside it holds for a module is its answer. What
``behaviour.json`` holds for a module, or for ``*``, it does instead. Standard library only.
"""

from __future__ import annotations

import json
import re
import sys
import time
import typing as t
from pathlib import Path

HERE = Path(sys.argv[0]).resolve().parent


def received() -> str:
    """What the controller sent: on standard input, or as a file whose path it gave."""
    texts = [Path(word).read_text(errors="replace") for word in sys.argv[1:] if Path(word).is_file()]
    return "\n".join(texts) if texts else sys.stdin.read()


def arguments_of(text: str) -> dict[str, t.Any]:
    """The module's arguments inside the program that ansible-core sends."""
    for start in (match.start() for match in re.finditer(r'\{"ANSIBLE_MODULE_ARGS"', text.replace('\\"', '"'))):
        found: dict[str, t.Any] = json.JSONDecoder().raw_decode(text.replace('\\"', '"')[start:])[0]
        return found["ANSIBLE_MODULE_ARGS"]
    return {}


def accounts(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    file = HERE / "people.json"
    here = json.loads(file.read_text()) if file.exists() else []
    wanted = [user for user in arguments["users"] if user.get("state") != "absent"]
    if wanted == here:
        return {"changed": False, "changes": [], "accounts": {"users": []}}
    if not arguments["_ansible_check_mode"]:
        file.write_text(json.dumps(wanted))
    change = {"action": "update", "resource": "people", "field": None, "before": None, "after": None}
    return {"changed": True, "changes": [change], "accounts": {"users": []}}


def told(module: str, arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any] | None:
    """By the file or the addresses that it was asked about, or for all; kept as a line of ``questions``."""
    file = HERE / "told.json"
    answers = json.loads(file.read_text()).get(module) if file.exists() else None
    if answers is None:
        return None
    about = arguments.get("src") or ",".join(arguments.get("addresses") or ())
    with (HERE / "questions").open("a") as questions:
        questions.write(f"{module} {about}\n")
    found: dict[str, t.Any] = answers.get(about) or answers.get("") or {"failed": True, "msg": "It is not there."}
    return found


def endpoints(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """All login nodes present what they should."""
    asked = [(each.get("name", each.get("host")), each["port"]) for each in arguments["endpoints"]]
    found = [{"name": name, "port": port, "verdict": "agrees", "host_keys": []} for name, port in asked]
    return {"changed": False, "ssh_endpoints": {"endpoints": found}}


def misbehave(module: str, text: str) -> None:
    """Ends the program where it is to behave in another way: ``print`` a text, ``hang``, or ``answer``."""
    file = HERE / "behaviour.json"
    behaviours = json.loads(file.read_text()) if file.exists() else {}
    behaviour = behaviours.get(module, behaviours.get("*"))
    if behaviour is None or (behaviour.get("applies") and arguments_of(text).get("_ansible_check_mode")):
        return
    (HERE / "misbehaved").touch()
    if "hang" in behaviour:
        time.sleep(behaviour["hang"])
    print(json.dumps(behaviour["answer"]) if "answer" in behaviour else behaviour.get("print", ""))
    sys.exit(0)


def main() -> None:
    text = received()
    name = re.search(r"(?:ansible_collections\.\w+\.\w+\.plugins|ansible)\.modules\.(\w+)", text)
    module = name.group(1) if name else "none"
    with (HERE / "asked").open("a") as asked:
        asked.write(module + "\n")
    answer: dict[str, t.Any] = {"changed": False, "changes": []}
    misbehave(module, text)
    if module == "accounts":
        answer = accounts(arguments_of(text))
    elif module == "readiness_gate":
        answer["readiness_gate"] = {"ready": True, "problems": []}
        text = "Open for logins although /fsx is silent."
        answer["hyperpod_findings"] = [{"kind": "note", "code": "gate-mounts", "text": text}]
    elif module == "ssh_endpoint_info":
        answer = endpoints(arguments_of(text))
    elif module == "ping":
        answer = {"ping": "pong", "changed": False}
    else:
        answer = told(module, arguments_of(text)) or answer
    print(json.dumps(answer))


main()
