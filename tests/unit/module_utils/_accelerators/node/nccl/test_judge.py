# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on an NCCL test: passed ones in odd layouts, slow ones, unproven ones, and tests that failed themselves."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired, Outcome, Ran
from lab.accelerators.nccl import GIB, OFI, AllReduce

ALONE = {"nodes": 1, "bandwidth": 465.0, "network": "Socket"}


def desired(test: AllReduce, **more: t.Any) -> Desired:
    addresses = tuple(f"10.1.2.{node + 3}" for node in range(test.nodes))
    return Desired(addresses, **{"instance_type": "ml.p5.48xlarge", "gpus": test.gpus, "bytes": test.bytes, **more})


def judged(test: AllReduce, *, status: int | None = 0, **more: t.Any) -> Outcome:
    return judge(desired(test, **more), Ran(test.text(), status))


def verdict_of(outcome: Outcome) -> tuple[str, str]:
    return outcome.verdict, outcome.failure


def test_two_healthy_nodes_pass() -> None:
    outcome = judged(AllReduce())
    assert verdict_of(outcome) == ("passed", "") and outcome.text == "466 GB/s with 4294967296 bytes; at least 302.9 GB/s is expected."
    assert (outcome.carried_by, outcome.gpu_direct, outcome.bandwidth, outcome.floor) == ("EFA", True, 466.0, 302.9)
    assert outcome.program == "/usr/local/cuda/efa/test-cuda-12.8/all_reduce_perf"
    assert [row.bytes for row in outcome.rows] == [GIB // 4, GIB // 2, GIB, 2 * GIB, 4 * GIB]
    assert outcome.evidence[0] == "NET/OFI Selected provider is efa, fabric is efa-direct (found 32 nics)"
    assert any("via NET/AWS Libfabric/0/GDRDMA" in each for each in outcome.evidence)


@pytest.mark.parametrize(
    "odd",
    [
        {"root": False, "wrong": "4e-07"},  # before 2.12, where the last column is the largest error
        {"wrong": "N/A"},  # -c 0
        {"label": False},
        {"provider": "Selected Provider is efa"},  # before 1.9
        {"network": "Libfabric"},  # since 1.14
        {"direct": False},
        {"before": ["/etc/profile.d/site.sh: line 3: error: no such file", "\x1b[31mWelcome\x1b[0m"]},
        {"before": ["ip-10-1-2-3:1:1 [0] NCCL WARN NET/OFI Failed to open libcuda.so: Connection timed out"]},
        {"after": ["# Collective test concluded: all_reduce_perf", "[ip-10-1-2-3] pmix_mca_base_component: unable to open pmix"]},
        {"before": ["x" * 3_000_000]},
    ],
    ids=lambda odd: str(odd)[:40],
)
def test_odd_output_of_healthy_nodes_passes(odd: dict[str, t.Any]) -> None:
    outcome = judged(AllReduce(**odd))
    assert verdict_of(outcome) == ("passed", "") and outcome.carried_by == "EFA", outcome.text
    assert outcome.gpu_direct is odd.get("direct", True)


def test_a_failure_after_the_measurement_does_not_count() -> None:
    outcome = judged(AllReduce(after=["srun: error: ip-10-1-2-4: task 9: Segmentation fault"]), status=139)
    assert verdict_of(outcome) == ("passed", "") and outcome.bandwidth == 466.0


def test_without_a_count_of_wrong_values_the_status_decides() -> None:
    test = AllReduce(wrong="N/A")
    text = "\n".join(line for line in test.lines() if "Out of bounds" not in line)
    assert verdict_of(judge(desired(test), Ran(text, 1))) == ("not_run", "unclear")
    assert verdict_of(judge(desired(test), Ran(text, 0))) == ("passed", "")


def test_one_node_is_judged_by_its_own_figure() -> None:
    outcome = judged(AllReduce(**ALONE))
    assert verdict_of(outcome) == ("passed", "") and (outcome.carried_by, outcome.gpu_direct, outcome.floor) == ("P2P", None, 286.0)
    outcome = judged(AllReduce(**{**ALONE, "within": "SHM/direct/direct", "bandwidth": 21.5}))
    assert verdict_of(outcome) == ("slow", "") and outcome.carried_by == "shared memory"
    assert outcome.text == "21.5 GB/s with 4294967296 bytes, below 286 GB/s."


def test_a_bandwidth_below_the_floor_is_slow() -> None:
    outcome = judged(AllReduce(bandwidth=302.8))
    assert verdict_of(outcome) == ("slow", "") and outcome.carried_by == "EFA"
    assert verdict_of(judged(AllReduce(bandwidth=302.8), floor_percent=60)) == ("passed", "")
    assert verdict_of(judged(AllReduce(bandwidth=302.8), reference=400.0)) == ("passed", "")
    outcome = judged(AllReduce(bandwidth=466.0), reference=800.0)
    assert verdict_of(outcome) == ("slow", "") and outcome.reference and outcome.reference.source == "option reference"


def test_a_bandwidth_without_a_published_figure_is_not_judged() -> None:
    outcome = judged(AllReduce(nodes=3, bandwidth=3.0))
    assert verdict_of(outcome) == ("passed", "") and (outcome.floor, outcome.reference, outcome.bandwidth) == (None, None, 3.0)
    assert outcome.text.endswith("not assessed, because no reference is published.")


@pytest.mark.parametrize(
    "odd",
    [
        {"network": "Socket", "provider": ""},
        {"network": "Socket", "provider": "Selected Provider is tcp;ofi_rxm"},
        {"provider": "Selected provider is tcp, fabric is 10.1.0.0/16"},
    ],
)
def test_a_test_over_sockets_fails(odd: dict[str, str]) -> None:
    outcome = judged(AllReduce(**odd, bandwidth=466.0))
    assert verdict_of(outcome) == ("failed", "no-efa") and outcome.carried_by == "sockets"
    assert verdict_of(judged(AllReduce(**odd, bandwidth=466.0), efa=False)) == ("passed", ""), "a type without EFA has nothing else"


@pytest.mark.parametrize("odd", [{"silent_hosts": (1,)}, {"silent_hosts": (0, 1)}, {"provider": ""}, {"channels": False}])
def test_a_test_without_proof_of_efa_in_the_log_is_not_judged(odd: dict[str, t.Any]) -> None:
    outcome = judged(AllReduce(**odd))
    assert verdict_of(outcome) == ("not_run", "unproven") and outcome.bandwidth == 466.0


def test_wrong_values_override_other_failures() -> None:
    assert verdict_of(judged(AllReduce(wrong="3"))) == ("failed", "wrong-values")
    assert verdict_of(judged(AllReduce(wrong="3", network="Socket"), status=1)) == ("failed", "wrong-values")


def test_a_test_without_mpi_is_refused() -> None:
    test = AllReduce()
    lines = [line.replace("Rank  ", "Rank ") for line in test.lines()]
    text = "\n".join("#  Rank  0 Pid 1 on x device 0" if "#  Rank" in line else line for line in lines)
    outcome = judge(desired(test), Ran(text, 0))
    assert verdict_of(outcome) == ("not_run", "image") and outcome.text.startswith("1 of 16 GPUs took part")


OWN = (
    ("srun: error: Unable to allocate resources: Requested nodes are busy", "allocation"),
    ("srun: error: Unable to allocate resources: Invalid account or account/partition combination specified", "allocation"),
    ("srun: error: Node failure on ip-10-1-2-4", "allocation"),
    ("mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch", "image"),
    ("/opt/x: error while loading shared libraries: libnccl.so.2: cannot open shared object file: No such file or directory", "image"),
    ("srun: error: Couldn't find the specified plugin name for mpi/pmix looking at all files", "image"),
    ("The application appears to have been direct launched using \"srun\", but OMPI was not built with SLURM's PMI support", "image"),
    ("x: Test CUDA failure common.cu:295 'CUDA driver version is insufficient for CUDA runtime version'", "versions"),
    ("x: Test CUDA failure common.cu:892 'system not yet initialized'", "versions"),
    ("x:1:2 [0] init.cc:802 NCCL WARN Mismatched NCCL version detected : rank 0 version 22705 rank 8 version 21805", "versions"),
    ("symbol lookup error: libnccl-net.so: undefined symbol: fi_getinfo", "versions"),
    ("x: Test CUDA failure common.cu:892 'out of memory'", "memory"),
    ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.", "memory"),
    ("x:1:2 [0] NCCL WARN NET/OFI Unable to register memory (type = 2) for device 0. RC: -12, Error: Cannot allocate memory", "locked-memory"),
    ("ibv_reg_mr: RC: -12", "locked-memory"),
    ("x:1:2 [4] f:1 NCCL WARN NET/OFI Unable to register memory (type = 2) for device 4. RC: -22, Error: Invalid argument", "registration"),
    ("x:1:2 [4] NCCL WARN NET/OFI Unable to register memory (type = 2) for device 4. RC: -5, Error: Input/output error", "registration"),
    ("x:1:2 [4] NCCL WARN Call to ibv_reg_mr failed", "registration"),
    ("libfabric:85:1747438790::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty list", "efa-provider"),
    ("x:1:2 [0] nccl_net_ofi_rdma_init:1 NCCL WARN NET/OFI Only EFA provider is supported", "efa-provider"),
    ("find_ofi_provider:543 NCCL WARN NET/OFI Couldn't find any optimal provider", "efa-provider"),
    ("x:1:2 [0] NCCL WARN socketStartConnect: Connect to 10.1.2.4<37037> failed : Connection refused", "peer"),
    ("slurmstepd: error: *** STEP 7.0 ON ip-10-1-2-3 CANCELLED AT 2026-11-27T10:00:00 DUE TO TIME LIMIT ***", "timeout"),
    ("mlfleet.hyperpod: refused program /fsx/alice/all_reduce_perf", "image"),
    ("mlfleet.hyperpod: PyTorch does not run as root", "image"),
    ("x:1:2 [0] NCCL WARN NET/OFI Request completed with error. RC: 107. Error: 4126 (Unresponsive receiver)", "security-groups"),
    ("x:1:2 [0] NCCL WARN socketStartConnect: Connect to 10.1.2.4<37037> failed : Connection timed out", "security-groups"),
    ("Invalid number of GPUs: 8 requested but only 4 were found.", "devices"),
    ("x: Test CUDA failure common.cu:892 'no CUDA-capable device is detected'", "devices"),
    ("Fehler: es ging nicht", "unclear"),
    ("", "unclear"),
)  # fmt: skip


@pytest.mark.parametrize(("line", "failure"), OWN)
def test_failures_of_the_test_itself_are_recognized(line: str, failure: str) -> None:
    noise = [
        "x: Test NCCL failure common.cu:1006 'unhandled system error' / ' '",
        "srun: error: ip-10-1-2-3: task 0: Exited with exit code 3",
    ]
    text = "".join(f"0: {each}\n" for each in [*noise[:1], line, *noise[1:]])
    outcome = judge(desired(AllReduce()), Ran(text, 1))
    assert verdict_of(outcome) == ("not_run", failure) and outcome.bandwidth is None
    assert line.strip() in outcome.evidence[0] if failure != "unclear" else outcome.evidence


def test_a_refused_program_is_reported_with_the_reason() -> None:
    outcome = judge(desired(AllReduce()), Ran("0: mlfleet.hyperpod: refused program /fsx/x\n", 127))
    assert outcome.text.startswith("The program was not started, because accounts other than root") and outcome.evidence[0].endswith("/fsx/x")


def test_a_table_with_tags_of_open_mpi_is_read() -> None:
    tagged = "".join(f"[1,0]<stdout>:{line}\n" for line in AllReduce(label=False).lines())
    outcome = judge(desired(AllReduce()), Ran(tagged, 0))
    assert verdict_of(outcome) == ("passed", "") and outcome.bandwidth == 466.0


def test_an_error_of_a_gpu_is_a_hardware_failure() -> None:
    text = "0: x: Test CUDA failure common.cu:892 'uncorrectable ECC error encountered'\n1: out of memory\n"
    assert verdict_of(judge(desired(AllReduce()), Ran(text, 1))) == ("failed", "hardware")


def test_a_test_at_its_deadline_is_not_judged() -> None:
    test = AllReduce()
    no_rows = judge(desired(test), Ran("".join(f"{line}\n" for line in test.log()), None))
    assert verdict_of(no_rows) == ("not_run", "timeout") and "its table has no row. Security groups" in no_rows.text
    half = test.text()[: test.text().index(f"{2 * GIB:12}")]
    some_rows = judge(desired(test), Ran(half, None))
    assert verdict_of(some_rows) == ("not_run", "timeout") and "Security" not in some_rows.text
    assert some_rows.text.endswith("the last row of its table is for 1073741824 bytes.")
    assert verdict_of(judge(desired(test), Ran("x\n" * 9, None, too_much=True))) == ("not_run", "output")
    assert verdict_of(judge(desired(test), Ran(test.text(), None))) == ("not_run", "timeout"), "the number of wrong values is unknown"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\xff\u2028" * 1000,
        AllReduce().text()[:-1200],  # cut within the table
        AllReduce().text().replace("466.00", "466,00"),  # decimal commas
        AllReduce().text().replace("466.00", "inf"),
        AllReduce().text().replace("466.00", "nan"),
        AllReduce().text().replace("466.00", "-1.0"),
        AllReduce().text().replace(f"{4 * GIB}", "9" * 5000),
        AllReduce().text().replace("float", "float float float"),
    ],
    ids=["empty", "binary", "cut", "commas", "inf", "nan", "negative", "digits", "columns"],
)
def test_a_damaged_table_is_not_judged(text: str) -> None:
    outcome = judge(desired(AllReduce()), Ran(text, 0))
    assert verdict_of(outcome) == ("not_run", "output") and outcome.bandwidth is None


def test_log_lines_printed_by_a_program_prove_nothing() -> None:
    test = AllReduce(silent_hosts=(0, 1), before=[
        "echo NET/OFI Selected provider is efa",
        "Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA",
    ])  # fmt: skip
    assert verdict_of(judged(test)) == ("not_run", "unproven") and OFI in test.text()
