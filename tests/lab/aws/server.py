# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server: ``python -m lab.aws.server --state DIR [--port 5000] [--no-hosts]``.

This process serves all of AWS: moto, our backends over it, and the control interface of
:mod:`lab.aws.control.routes`. A backend is a sub-package with ``install(cloud)``.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import time
import types
import typing as t
from pathlib import Path

# moto reads these on import: no set of 400 machine images, no CORS headers, AWS's managed policies.
os.environ.setdefault("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
os.environ.setdefault("MOTO_DISABLE_GLOBAL_CORS", "true")
os.environ.setdefault("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")

from . import cloud, permissions
from .control import routes
from .middleware import Middleware

BACKENDS = (
    *("acm", "cloudwatch", "ec2", "ecr", "eks", "elbv2", "events", "fsx", "pricing", "sagemaker", "secretsmanager"),
    *("servicequotas", "sqs", "ssm"),
)


def build(state: Path, *, hosts: bool) -> cloud.Cloud:
    """The cloud with real hosts, or with records only; it enforces the documented policies."""
    if hosts:
        from lab import names
        from lab.hosts.machines import Hosts
        from lab.net.network import Network

        state = state.resolve()
        paths: t.Any = names.Paths(state.parents[1], state.name)
        network: t.Any = Network(paths)
        this_cloud = cloud.Cloud(paths, network, Hosts(paths, network))
    else:
        this_cloud = cloud.Cloud(types.SimpleNamespace(state=state), cloud.NoNetwork(), cloud.NoHosts())
    this_cloud.settings["policies"] = permissions.documented()
    return this_cloud


def install_backends(this_cloud: cloud.Cloud) -> list[str]:
    """Install every backend in moto; return their names."""
    installed = []
    for name in BACKENDS:
        package = f"{__package__}.{name}"
        try:
            module = importlib.import_module(package)
        except ModuleNotFoundError as missing:
            if missing.name != package:
                raise
            continue
        if hasattr(module, "install"):
            module.install(this_cloud)
            installed.append(name)
    return installed


def application(this_cloud: cloud.Cloud) -> Middleware:
    """The WSGI application for a cloud."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    cloud.install(this_cloud)
    install_backends(this_cloud)
    return Middleware(DomainDispatcherApplication(create_backend_app), routes.application)


def serve(this_cloud: cloud.Cloud, *, port: int, address: str = "127.0.0.1") -> None:
    """Serve until SIGTERM. With port 0 the system chooses one; it is written to ``<state>/port``."""
    from moto.moto_server.werkzeug_app import MotoRequestHandler
    from werkzeug.serving import make_server

    class Handler(MotoRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Log nothing, because the call log has all requests."""

        def date_time_string(self, timestamp: float | None = None) -> str:
            """The header Date, by the clock of AWS, which can differ from that of the control node."""
            shift = this_cloud.settings["date_shift_seconds"]
            return "" if shift is None else super().date_time_string((timestamp or time.time()) + shift)

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server(address, port, application(this_cloud), threaded=True, request_handler=Handler)
    server.daemon_threads = True
    (this_cloud.paths.state / "port").write_text(f"{server.port}\n", encoding="ascii")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    finally:
        this_cloud.workers.shutdown(wait=False, cancel_futures=True)


def main(arguments: t.Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="lab.aws.server", description="the simulated AWS API")
    parser.add_argument("--state", type=Path, required=True, help="folder of the lab's state")
    parser.add_argument("--port", type=int, default=5000)
    parser.add_argument("--no-hosts", action="store_true", help="nodes are records only")
    options = parser.parse_args(arguments)
    options.state.mkdir(parents=True, exist_ok=True)
    serve(build(options.state, hosts=not options.no_hosts), port=options.port)


if __name__ == "__main__":
    main()
