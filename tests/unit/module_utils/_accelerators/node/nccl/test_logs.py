# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL's own log: the network that carried the data."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import logs
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Log

PROVIDER, NETWORK = "NET/OFI Selected provider is {}, fabric is efa", "Using network {}"
OVER_EFA, DIRECT = "Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0", "Channel 01/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/1/GDRDMA"
SOCKET, P2P, SHM = "Channel 00 : 0[0] -> 1[1] via NET/Socket/0", "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "Channel 00 : 0[0] -> 1[1] via SHM/direct"


def nccl_line(text: str, host: str = "n1") -> str:
    return f"{host}:4711:4712 [0] NCCL INFO {text}"


def parsed(*texts: str, host: str = "n1") -> Log:
    return logs.log([nccl_line(text, host) for text in texts])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROVIDER.format("EFA"), Log({"efa": frozenset({"n1"})}, evidence=(PROVIDER.format("EFA"),))),
        (NETWORK.format("AWS Libfabric"), Log(networks=frozenset({"AWS Libfabric"}), evidence=(NETWORK.format("AWS Libfabric"),))),
        (OVER_EFA, Log(networks=frozenset({"AWS Libfabric"}), gpu_direct=False, evidence=(OVER_EFA,))),
        (DIRECT, Log(networks=frozenset({"AWS Libfabric"}), gpu_direct=True, evidence=(DIRECT,))),
        (SOCKET, Log(networks=frozenset({"Socket"}), gpu_direct=False, evidence=(SOCKET,))),
        (P2P, Log(within=frozenset({"P2P"}), evidence=(P2P,))),
        (SHM, Log(within=frozenset({"SHM"}), evidence=(SHM,))),
        ("NET/Plugin: No plugin found", Log(evidence=("NET/Plugin: No plugin found",))),
        ("NET/OFI No eligible providers were found", Log(evidence=("NET/OFI No eligible providers were found",))),
        ("Other words", Log()),
        ("x" * 3000, Log()),
    ],
)
def test_each_line_is_parsed(text: str, expected: Log) -> None:
    assert parsed(text) == expected
    assert logs.log([text]) == Log(), "a line without NCCL's prefix"


def test_the_first_line_of_each_kind_is_evidence() -> None:
    found = parsed(OVER_EFA, DIRECT, P2P, P2P.replace("0[0]", "2[2]"))
    assert found.evidence == (OVER_EFA, P2P) and found.gpu_direct is True


EFA_ON_TWO = {"efa": frozenset({"n1", "n2"})}
LIBFABRIC = frozenset({"AWS Libfabric"})


@pytest.mark.parametrize(
    ("log", "nodes", "carried"),
    [
        (Log(within=frozenset({"SHM", "P2P"})), 1, "shared memory"),
        (Log(within=frozenset({"P2P"})), 1, "P2P"),
        (Log(), 1, ""),
        (Log(EFA_ON_TWO, LIBFABRIC, gpu_direct=False), 2, "EFA"),
        (Log(EFA_ON_TWO, frozenset({"Libfabric"}), gpu_direct=True), 2, "EFA"),
        (Log(EFA_ON_TWO, LIBFABRIC, gpu_direct=None), 2, ""),
        (Log(EFA_ON_TWO, frozenset({"Other"}), gpu_direct=True), 2, ""),
        (Log(EFA_ON_TWO, LIBFABRIC, gpu_direct=True), 3, ""),
        (Log({}, LIBFABRIC, gpu_direct=True), 2, ""),
        (Log(EFA_ON_TWO, LIBFABRIC | {"Socket"}, gpu_direct=True), 2, "sockets"),
        (Log({**EFA_ON_TWO, "tcp;ofi_rxm": frozenset({"n1"})}, LIBFABRIC, gpu_direct=True), 2, "sockets"),
    ],
)
def test_the_slowest_way_carried_the_data(log: Log, nodes: int, carried: str) -> None:
    assert logs.carried_by(log, nodes=nodes) == carried
