# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the programs ``docker``, ``podman`` and ``buildah``: it logs in and pushes as they do, and runs no instruction.

``installed`` puts it into a folder. It records its arguments, environment and standard input there, and finds its orders there.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import stat
import sys
import time
import typing as t
from pathlib import Path

TESTS = Path(__file__).resolve().parents[3]
OCI = "application/vnd.oci.image.manifest.v1+json"
RECORDED, ORDERS, IMAGES = "recorded.jsonl", "orders.json", "images.json"
Json = dict[str, t.Any]


def installed(folder: Path, names: t.Iterable[str], *, port: int) -> None:
    """Put programs with these names into the folder. They use the registry at the port."""
    order(folder, port=port)
    for name in names:
        program = folder / name
        start = f"import sys\nsys.path.insert(0, {str(TESTS)!r})\nfrom lab.aws.registry.builder import main\nmain({str(folder)!r}, {name!r})\n"
        program.write_text(f"#!{sys.executable}\n{start}")
        program.chmod(0o755)


def order(folder: Path, **orders: t.Any) -> None:
    """Change what the programs do. ``login``, ``build`` and ``push``: ``status``, ``lines`` to print, ``seconds`` to wait, ``write``
    with a file and its new text; ``after`` for a push that fails after it is complete.
    """
    path = folder / ORDERS
    path.write_text(json.dumps({**(json.loads(path.read_text()) if path.exists() else {}), **orders}))


def recorded(folder: Path) -> list[Json]:
    """Each start of a program: name, arguments, environment, folder, parent process, standard input, files with logins and their modes."""
    path = folder / RECORDED
    return [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []


def main(folder: str, name: str) -> t.NoReturn:
    home, arguments = Path(folder), sys.argv[1:]
    given = sys.stdin.read() if "--password-stdin" in arguments else ""
    orders = json.loads((home / ORDERS).read_text())
    auth = _authfile(arguments)
    process = {"environment": dict(os.environ), "folder": os.getcwd(), "parent": os.getppid()}
    _record(home, {"program": name, "argv": arguments, "stdin": given, **process, **_modes(auth)})
    own = orders.get(arguments[0], {})
    if not own.get("after"):
        _obey(own)
    {"login": _login, "build": _build, "push": _push}[arguments[0]](home, arguments, given, auth, orders["port"])
    _obey(own)
    sys.exit(0)


def _obey(own: Json) -> None:
    for line in own.get("lines", ()):
        print(line, flush=True)
    if "write" in own:
        path, text = own["write"]
        Path(path).write_text(text)
    time.sleep(own.get("seconds", 0))
    if own.get("status"):
        sys.exit(own["status"])


def _login(_home: Path, arguments: list[str], given: str, auth: Path, port: int) -> None:
    host, user = arguments[-1], arguments[arguments.index("--username") + 1]
    encoded = base64.b64encode(f"{user}:{given}".encode()).decode()
    status, _body = _request(port, host, "GET", "/v2/", auth=encoded)
    if status != 200:
        sys.exit(f"Error: logging into {host!r}: invalid username/password: {given}")
    known = json.loads(auth.read_text()) if auth.exists() else {"auths": {}}
    known["auths"][host] = {"auth": encoded}
    auth.touch(0o600)
    auth.write_text(json.dumps(known))
    print("Login Succeeded!")


def _build(home: Path, arguments: list[str], _given: str, _auth: Path, _port: int) -> None:
    reference = arguments[arguments.index("--tag") + 1]
    print("STEP 1/2: FROM scratch")
    print("STEP 2/2: COPY . /", flush=True)
    content = hashlib.sha256(repr((time.time(), arguments)).encode()).digest()  # each build gives another image, as real ones do
    path = home / IMAGES
    images = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**images, reference: content.hex()}))


def _push(home: Path, arguments: list[str], _given: str, auth: Path, port: int) -> None:
    reference = arguments[-1]
    host, _slash, rest = reference.partition("/")
    name, _colon, tag = rest.partition(":")
    encoded = json.loads(auth.read_text())["auths"].get(host, {}).get("auth", "")
    layer = bytes.fromhex(json.loads((home / IMAGES).read_text())[reference])
    digest = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    described = {"mediaType": "application/octet-stream", "digest": digest, "size": len(layer)}
    manifest = json.dumps({"schemaVersion": 2, "mediaType": OCI, "config": described, "layers": [described]}).encode()
    for method, path, body in (
        ("POST", f"/v2/{name}/blobs/uploads/?digest={digest}", layer),
        ("PUT", f"/v2/{name}/manifests/{tag}", manifest),
    ):
        status, answer = _request(port, host, method, path, auth=encoded, body=body)
        if status > 299:
            sys.exit(f"Error: writing manifest: {status} {answer.decode()}")


def _request(port: int, host: str, method: str, path: str, *, auth: str, body: bytes = b"") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body, {"Host": host, "Authorization": f"Basic {auth}", "Content-Type": OCI})
    answer = connection.getresponse()
    return answer.status, answer.read()


def _authfile(arguments: list[str]) -> Path:
    if "--authfile" in arguments:
        return Path(arguments[arguments.index("--authfile") + 1])
    return Path(os.environ["DOCKER_CONFIG"]) / "config.json"


def _modes(auth: Path) -> Json:
    folder = stat.S_IMODE(auth.parent.stat().st_mode)
    return {"authfile": str(auth), "folder_mode": folder, "mode": stat.S_IMODE(auth.stat().st_mode) if auth.exists() else None}


def _record(home: Path, entry: Json) -> None:
    with open(home / RECORDED, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(entry) + "\n")
