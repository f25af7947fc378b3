# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python of a cooperative node that stores its people in ``people.json`` and changes nothing else.

Files in its folder: ``modules`` lists the modules that it ran, one per line. ``results.json`` has results of modules.
``behaviour.json`` has faults of modules, or of all modules (``*``). Standard library only.
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
    """The program that the controller sent: on standard input, or as a file among the arguments."""
    texts = [Path(word).read_text(errors="replace") for word in sys.argv[1:] if Path(word).is_file()]
    return "\n".join(texts) if texts else sys.stdin.read()


def arguments_of(text: str) -> dict[str, t.Any]:
    """The module's arguments in the program that ansible-core sends."""
    for start in (match.start() for match in re.finditer(r'\{"ANSIBLE_MODULE_ARGS"', text.replace('\\"', '"'))):
        found: dict[str, t.Any] = json.JSONDecoder().raw_decode(text.replace('\\"', '"')[start:])[0]
        return found["ANSIBLE_MODULE_ARGS"]
    return {}


def accounts(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    file = HERE / "people.json"
    present = json.loads(file.read_text()) if file.exists() else []
    wanted = [user for user in arguments["users"] if user.get("state") != "absent"]
    if wanted == present:
        return {"changed": False, "changes": [], "accounts": {"users": []}}
    if not arguments["_ansible_check_mode"]:
        file.write_text(json.dumps(wanted))
    change = {"action": "update", "resource": "people", "field": None, "before": None, "after": None}
    return {"changed": True, "changes": [change], "accounts": {"users": []}}


def prepared(module: str, arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any] | None:
    """Result in results.json for the module's file or addresses, or its default; adds a line to ``requests``."""
    file = HERE / "results.json"
    results = json.loads(file.read_text()).get(module) if file.exists() else None
    if results is None:
        return None
    key = arguments.get("src") or ",".join(arguments.get("addresses") or ())
    with (HERE / "requests").open("a") as requests:
        requests.write(f"{module} {key}\n")
    found: dict[str, t.Any] = results.get(key) or results.get("") or {"failed": True, "msg": "No result is set."}
    return found


def endpoints(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """All login nodes present the expected host keys."""
    named = [(each.get("name", each.get("host")), each["port"]) for each in arguments["endpoints"]]
    found = [{"name": name, "port": port, "verdict": "agrees", "host_keys": []} for name, port in named]
    return {"changed": False, "ssh_endpoints": {"endpoints": found}}


def misbehave(module: str, text: str) -> None:
    """Apply the module's fault and exit: ``print`` a text, ``hang``, or return the result ``answer``."""
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
    with (HERE / "modules").open("a") as modules:
        modules.write(module + "\n")
    result: dict[str, t.Any] = {"changed": False, "changes": []}
    misbehave(module, text)
    if module == "accounts":
        result = accounts(arguments_of(text))
    elif module == "readiness_gate":
        result["readiness_gate"] = {"ready": True, "problems": []}
        text = "Open for logins although /fsx is silent."
        result["hyperpod_findings"] = [{"kind": "note", "code": "gate-mounts", "text": text}]
    elif module == "ssh_endpoint_info":
        result = endpoints(arguments_of(text))
    elif module == "ping":
        result = {"ping": "pong", "changed": False}
    else:
        result = prepared(module, arguments_of(text)) or result
    print(json.dumps(result))


main()
