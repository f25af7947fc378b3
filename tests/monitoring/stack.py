# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real node_exporter that reads metrics files, and a real Prometheus that scrapes it, on loopback addresses."""

from __future__ import annotations

import contextlib
import datetime
import json
import socket
import subprocess
import time
import typing as t
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

SECONDS = 60
CONFIG = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - {{job_name: node, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}
"""


class Prometheus:
    """The API of a Prometheus server."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str, **query: str) -> t.Any:
        """The data of an answer.

        :raises AssertionError: with the error of Prometheus, for example if it can't parse a query.
        """
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode()}") from error

    def query(self, expression: str) -> list[t.Any]:
        return self.get("query", query=expression)["result"]

    def rules(self) -> dict[str, t.Any]:
        return {rule["name"]: rule for group in self.get("rules")["groups"] for rule in group["rules"]}

    def scraped(self) -> bool:
        try:
            return bool(self.query("up == 1"))
        except (OSError, AssertionError):
            return False  # it has not started yet, or is not ready

    def evaluated_since(self, time_of_data: datetime.datetime) -> bool:
        return all(datetime.datetime.fromisoformat(each["lastEvaluation"]) > time_of_data for each in self.rules().values())


@contextlib.contextmanager
def running(programs: Path, metrics: Path, rules: Path, work: Path) -> t.Iterator[Prometheus]:
    exporter, port = _free_port(), _free_port()
    (work / "prometheus.yml").write_text(CONFIG.format(rules=rules, port=exporter))
    textfile = ["--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={metrics}"]
    own = [f"--config.file={work}/prometheus.yml", f"--storage.tsdb.path={work}/data"]
    with (
        _process(work, programs / "prometheus-node-exporter", *textfile, f"--web.listen-address=127.0.0.1:{exporter}"),
        _process(work, programs / "prometheus", *own, f"--web.listen-address=127.0.0.1:{port}") as server,
    ):
        found = Prometheus(port)
        _wait(server, found.scraped)
        scraped = datetime.datetime.now(datetime.timezone.utc)
        _wait(server, lambda: found.evaluated_since(scraped))
        yield found


@contextlib.contextmanager
def _process(work: Path, program: Path, *options: str) -> t.Iterator[subprocess.Popen]:
    with open(work / f"{program.name}.log", "w") as log, subprocess.Popen([program, *options], stdout=log, stderr=log) as process:
        try:
            yield process
        finally:
            process.terminate()


def _wait(server: subprocess.Popen, holds: t.Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert server.poll() is None, f"Prometheus ended with {server.returncode}"
        assert time.monotonic() < end, f"Prometheus did not start within {SECONDS} seconds"
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
