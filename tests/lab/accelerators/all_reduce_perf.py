# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The all_reduce_perf of a node with simulated accelerators: it reduces no data, and its output has the layout of nccl-tests 2.1x.

Slurm starts its tasks. They connect to MASTER_ADDR and MASTER_PORT, whereas nccl-tests uses PMIx: each sends the speed of its node to
the first task, which prints the table. The test is as fast as the slowest node.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import sys
import time
import typing as t
from pathlib import Path

DATA = "said/all_reduce_perf"
"""Data of the node, relative to the parent of the folder with this program."""
SECONDS = 30.0
"""Timeout for tasks that have not connected yet."""
HEAD = """\
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"""
LESS_PER_HALF = 0.04
"""Fraction of the bandwidth that each halving of the message size costs."""
Rows = list[dict[str, t.Any]]


def main() -> int:
    options = _arguments().parse_args()
    hardware = json.loads((Path(__file__).resolve().parents[1] / DATA).read_text())
    task, tasks, local = (int(os.environ.get(name, default)) for name, default in _PLACE)
    nodes = int(os.environ.get("SLURM_NNODES", "1"))
    devices = [local * options.gpus + each for each in range(options.gpus)]
    if devices[-1] >= len(hardware["buses"]):
        print(f"{socket.gethostname()}: Test CUDA failure common.cu:1049 'invalid device ordinal'")
        return 1
    speed = hardware["between" if nodes > 1 else "within"]
    common = {"host": socket.gethostname(), "pid": os.getpid(), "speed": speed, "name": hardware["name"]}
    own = [{**common, "rank": task * options.gpus + turn, "device": device, "bus": hardware["buses"][device]} for turn, device in enumerate(devices)]
    if task:
        _send(own, lambda: print_log(own, hardware, options.gpus * tasks, nodes))
        return 0
    with _meeting(tasks) as others:
        ranks = [*own, *(rank for each in others for rank in json.loads(each.readline()))]
        print_log(own, hardware, len(ranks), nodes)
        _print_table(options, sorted(ranks, key=lambda each: each["rank"]))
    return 0


_PLACE = (("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1"), ("SLURM_LOCALID", "0"))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    for letter, name in (("b", "begin"), ("e", "end"), ("f", "factor"), ("g", "gpus"), ("n", "iters"), ("w", "warmup")):
        parser.add_argument(f"-{letter}", dest=name, type=int, required=True)
    return parser


@contextlib.contextmanager
def _meeting(tasks: int) -> t.Iterator[list[t.TextIO]]:
    """Connections of the other tasks to the first one; those tasks end when they are closed."""
    with contextlib.ExitStack() as streams:
        if tasks > 1:
            with socket.create_server(("", int(os.environ["MASTER_PORT"])), backlog=tasks) as server:
                server.settimeout(SECONDS)
                others = [streams.enter_context(server.accept()[0].makefile("rw")) for _task in range(tasks - 1)]
        yield others if tasks > 1 else []


def _send(own: Rows, work: t.Callable[[], None]) -> None:
    """Send to the first task, and return when it has ended."""
    with _connected(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])).makefile("rw") as stream:
        stream.write(f"{json.dumps(own)}\n")
        stream.flush()
        work()
        stream.readline()


def _connected(address: str, port: int) -> socket.socket:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection((address, port), timeout=SECONDS)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def print_log(own: Rows, hardware: dict[str, t.Any], ranks: int, nodes: int) -> None:
    """Print the log of NCCL with NCCL_DEBUG=INFO."""
    if os.environ.get("NCCL_DEBUG") != "INFO":
        return
    for each in own:
        network = "AWS Libfabric" if hardware["efa"] else "Socket"
        lines = ["Bootstrap : Using eth0:10.0.0.1<0>", *(_plugin(hardware["efa"]) if nodes > 1 else []), f"Using network {network}"]
        source, next_one = f"{each['rank']}[{each['device']}]", (each["rank"] + 1) % ranks
        lines.append(f"Channel 00/0 : {source} -> {next_one}[{next_one % (ranks // nodes)}] via P2P/CUMEM")
        if nodes > 1:
            over = f"NET/{network}/0{'/GDRDMA' if hardware['efa'] else ''}"
            lines.append(f"Channel 00/0 : {source} -> {(each['rank'] + ranks // nodes) % ranks}[{each['device']}] [send] via {over}")
        begin = f"{each['host']}:{each['pid']}:{each['pid']} [{each['device']}] NCCL INFO "
        print("".join(f"{begin}{line}\n" for line in lines), end="", flush=True)


def _plugin(efa: int) -> list[str]:
    if not efa:
        return ["NET/Plugin: No plugin found (libnccl-net.so)"]
    found = f"NET/OFI Selected provider is efa, fabric is efa-direct (found {efa} nics)"
    return ["NET/OFI Initializing aws-ofi-nccl 1.16.3", found, "NET/OFI Using transport protocol RDMA (platform set)"]


def _print_table(options: argparse.Namespace, ranks: Rows) -> None:
    step = f"step: {options.factor}(factor) warmup iters: {options.warmup} iters: {options.iters} agg iters: 1 validation: 1 graph: 0"
    print(f"# nThread 1 nGpus {options.gpus} minBytes {options.begin} maxBytes {options.end} {step}\n#\n# Using devices")
    for each in ranks:
        place = f"Pid {each['pid']:6} on {each['host']} device {each['device']:2} [{each['bus']}]"
        print(f"#  Rank {each['rank']:2} Group  0 {place} {each['name']}")
    print(HEAD)
    speeds, rows, size, halves = [], [], options.end, 0
    while size >= options.begin:
        speeds.append(min(each["speed"] for each in ranks) * (1 - LESS_PER_HALF * halves))
        rows.append(_row(size, speeds[-1], len(ranks)))
        size, halves = size // options.factor, halves + 1
    print("\n".join(reversed(rows)))
    print(f"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {sum(speeds) / len(speeds):g}\n#", flush=True)


def _row(size: int, bus: float, ranks: int) -> str:
    alone = bus / (2 * (ranks - 1) / ranks)
    half = f"{size / alone / 1000:9.1f} {alone:7.2f} {bus:7.2f}      0"
    return f"{size:12} {size // 4:13}     float     sum      -1{half}{half}"


if __name__ == "__main__":
    sys.exit(main())
