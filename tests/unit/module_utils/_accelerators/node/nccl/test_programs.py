# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that srun starts on the nodes: the choice of the program, and PyTorch instead of it (a stand-in, without GPUs)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.programs import LAUNCHER, POD, TORCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.table import table

STAND_IN = """
import itertools, sys, time
class Whole:  # processes share one pipe: lines written in parts would be mixed
    def __init__(self, pipe): self.pipe = pipe
    def write(self, text): assert text.endswith("\\n") and text.strip(); self.pipe.write(text)
    def flush(self): self.pipe.flush()
sys.stdout = Whole(sys.stdout)
turns = itertools.count()
time.perf_counter = lambda: next(turns) * 20e-6  # a microsecond for each reduction
class Values(list):
    device = "cuda"
    def item(self): return self[0]
    def sum(self): return Values([sum(self)])
    def zero_(self): self[:] = [0.0] * len(self)
    def clone(self): return Values(self)
    def __getitem__(self, at): return Values([list.__getitem__(self, at)]) if len(self) > 1 else list.__getitem__(self, at)
    def __ne__(self, other): return Values([each != other for each in list(self)])
def ones(count, **_more): return Values([1.0] * count)
def tensor(values, **_more): return Values(values)
float32 = float64 = None
class cuda:
    set_device = staticmethod(lambda local: None)
    synchronize = staticmethod(lambda: None)
    get_device_name = staticmethod(lambda local: "NVIDIA H100 80GB HBM3")
"""
DISTRIBUTED = """
import os
class ReduceOp: MAX = "max"
def init_process_group(kind, timeout):
    assert kind == "nccl" and os.environ["MASTER_ADDR"] and timeout.total_seconds() == int(os.environ.get("MEETING_SECONDS", 600))
def destroy_process_group(): pass
def barrier(): pass
def all_reduce(values, op="sum"):
    world = int(os.environ["WORLD_SIZE"]) - int(os.environ.get("ONE_IS_WRONG", 0))
    if op == "sum":
        values[:] = [each * world for each in list(values)]
"""


PYTHON = """#!{python} -I
import sys
if sys.argv[1:3] == ["-I", "-c"]:  # with the module site
    sys.path.insert(0, "{packages}")
    sys.argv.insert(2, "-S")
assert sys.argv[1:4] == ["-I", "-S", "-c"], sys.argv
code, sys.argv = sys.argv[4], ["-c", *sys.argv[5:]]
exec(code)
"""
SYSTEM = os.path.realpath(shutil.which("python3", path="/usr/bin:/bin") or sys.executable)
"""A Python that every account can start."""
NOBODY = 65534
ROOTS = Path("/run")
"""Only root can write here, unlike in /tmp."""
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="programs must be root's")


def torch_in(place: Path) -> Path:
    return place / "lib" / os.path.basename(SYSTEM) / "site-packages/torch"


@pytest.fixture
def place() -> t.Iterator[Path]:
    """A folder with a ``python3`` that imports a stand-in for torch."""
    folder = Path(tempfile.mkdtemp(dir=ROOTS))
    folder.chmod(0o755)
    (folder / "bin").mkdir()
    torch_in(folder).mkdir(parents=True)
    (torch_in(folder) / "__init__.py").write_text(STAND_IN)
    (torch_in(folder) / "distributed.py").write_text(DISTRIBUTED)
    (folder / "bin/python3").write_text(PYTHON.format(python=SYSTEM, packages=torch_in(folder).parent))
    (folder / "bin/python3").chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def start(place: Path, program: str = "", gpus: int = 2, cwd: str = "/", user: int = NOBODY, **environment: str) -> tuple[int, str]:
    env = {"PATH": "/usr/bin:/bin", "SLURM_NTASKS": "1", **environment}
    launcher = LAUNCHER.replace("/opt/pytorch/bin/python3", f"{place}/bin/python3")
    line = ["/bin/sh", "-euc", launcher, "nccl-test", program, str(gpus), "1024", "4096", TORCH]
    done = subprocess.run(line, env=env, cwd=cwd, user=user, group=user, extra_groups=[], capture_output=True, text=True, check=False)
    assert "syntax" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def test_the_given_program_is_started(place: Path) -> None:
    program = place / "all_reduce_perf"
    program.write_text('#!/bin/sh\necho "$@"\nexit 3\n')
    program.chmod(0o755)
    status, output = start(place, str(program))
    assert status == 3 and output == f"mlfleet.hyperpod: program {program}\n-b 1024 -e 4096 -f 2 -g 2 -n 20 -w 5\n"
    program.chmod(0o644)
    assert start(place, str(program)) == (127, f"mlfleet.hyperpod: no program {program}\n")


def _owned_by_a_user(path: Path) -> None:
    os.chown(path, 20009, 20009)


@pytest.mark.parametrize(
    "opened",
    [
        lambda place: (place / "below/all_reduce_perf").chmod(0o757),
        lambda place: (place / "below/all_reduce_perf").chmod(0o775),
        lambda place: (place / "below").chmod(0o1777),
        lambda place: place.chmod(0o775),
        lambda place: _owned_by_a_user(place / "below/all_reduce_perf"),
        _owned_by_a_user,
    ],
)
def test_a_program_that_others_can_change_is_refused(place: Path, opened: t.Callable[[Path], None]) -> None:
    place.chmod(0o755)
    program = place / "below/all_reduce_perf"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho started\n")
    program.chmod(0o755)
    assert start(place, str(program)) == (0, f"mlfleet.hyperpod: program {program}\nstarted\n")
    opened(place)
    assert start(place, str(program)) == (127, f"mlfleet.hyperpod: refused program {program}\n")


def test_a_link_to_a_program_that_others_can_change_is_refused(place: Path) -> None:
    (place / "users").mkdir()
    target, link = place / "users/all_reduce_perf", place / "all_reduce_perf"
    target.write_text("#!/bin/sh\necho started\n")
    target.chmod(0o755)
    link.symlink_to("users/all_reduce_perf")
    assert start(place, str(link))[1].endswith("started\n")
    _owned_by_a_user(place / "users")
    assert start(place, str(link)) == (127, f"mlfleet.hyperpod: refused program {link}\n")


CHANGED: dict[str, t.Callable[[Path], object]] = {
    "bin/python3": _owned_by_a_user,
    "bin": lambda path: path.chmod(0o777),
    "lib": lambda path: path.chmod(0o775),
    "{packages}": lambda path: path.chmod(0o777),
    "{packages}/torch": _owned_by_a_user,
    "{packages}/torch/__init__.py": lambda path: path.chmod(0o666),
    "{packages}/evil.pth": lambda path: (path.write_text("import os"), _owned_by_a_user(path)),
    "pyvenv.cfg": lambda path: (path.write_text("home = /usr/bin"), _owned_by_a_user(path)),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_tree_that_others_can_change_is_not_started(place: Path, what: str) -> None:
    with tempfile.TemporaryDirectory(dir=ROOTS) as proofs:
        Path(proofs).chmod(0o777)
        (place / "bin/python3").write_text(f"#!/bin/sh\necho started >>{proofs}/proof\nexec {SYSTEM} \"$@\"\n")
        assert start(place)[0] == 0 and os.path.exists(f"{proofs}/proof")
        os.unlink(f"{proofs}/proof")
        path = place / what.format(packages=torch_in(place).parent.relative_to(place))
        CHANGED[what](path)
        status, output = start(place)
        assert status == 127 and output.startswith(f"mlfleet.hyperpod: refused program {place if what == 'bin' else path}"), output
        assert start(place, user=0) == (127, "mlfleet.hyperpod: PyTorch does not run as root\n")
        assert not os.listdir(proofs)


@pytest.mark.parametrize("target", ["users/module.py", "users", "users/none.py"])
def test_a_tree_with_a_link_to_files_that_others_can_change_is_refused(place: Path, target: str) -> None:
    with tempfile.TemporaryDirectory(dir=ROOTS) as outside:
        Path(outside).chmod(0o755)
        users = Path(outside) / "users"
        users.mkdir()
        (users / "module.py").write_text("")
        (torch_in(place).parent / "link").symlink_to(Path(outside) / target)
        assert start(place)[0] == 0
        _owned_by_a_user(users)
        status, output = start(place)
        assert status == 127 and "refused program" in output


def test_a_real_python_runs_no_pth_file(place: Path) -> None:
    """Not even one of root, because ``site`` is not imported."""
    (place / "bin/python3").unlink()
    (place / "bin/python3").symlink_to(SYSTEM)
    (place / "pyvenv.cfg").write_text(f"home = {os.path.dirname(SYSTEM)}\n")
    (torch_in(place).parent / "evil.pth").write_text("import os; os.write(1, b'evil\\n')\n")
    status, output = start(place)
    assert status == 0 and output.startswith(f"mlfleet.hyperpod: program {place}/bin/python3 with PyTorch\n") and "evil" not in output
    torch_in(place).parent.chmod(0o777)
    assert start(place) == (127, f"mlfleet.hyperpod: refused program {torch_in(place).parent}\n")


def test_pytorch_is_not_started_as_root(place: Path) -> None:
    assert start(place, user=0) == (127, "mlfleet.hyperpod: PyTorch does not run as root\n")


def test_files_of_users_are_not_imported(place: Path, tmp_path: Path) -> None:
    for name in ("torch", "datetime", "socket", "importlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'proof')!r}, 'a').write('imported')\n")
    start(place, cwd=str(tmp_path), PYTHONPATH=str(tmp_path))
    start_pod(place, 0, cwd=str(tmp_path), PYTHONPATH=str(tmp_path))
    assert not (tmp_path / "proof").exists()


def test_without_a_program_and_pytorch_the_output_names_both(place: Path) -> None:
    (torch_in(place) / "__init__.py").write_text("import nothing_of_that_name")
    assert start(place) == (127, "mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch\n")


def test_pytorch_on_one_node_has_a_process_for_each_gpu(place: Path) -> None:
    status, output = start(place)
    found = table(output.split("\n"))
    assert status == 0 and (found.ranks, [row.bytes for row in found.rows], found.out_of_bounds) == (2, [1024, 2048, 4096], 0), output
    assert all(row.wrong == 0 for row in found.rows)


def test_pytorch_on_many_nodes_has_the_rank_of_slurm(place: Path) -> None:
    slurm = {"SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "MASTER_ADDR": "10.1.2.3"}
    status, output = start(place, **slurm, SLURM_PROCID="9")
    assert status == 0 and "#  Rank  9 " in output and "device  1" in output and "float" not in output, "only the first rank prints the table"
    _status, output = start(place, **slurm, SLURM_PROCID="0")
    assert [row.bandwidth for row in table(output.split("\n")).rows] == [1.92, 3.84, 7.68], "bytes per second, times 2 * 15 / 16"


def test_pytorch_counts_wrong_values(place: Path) -> None:
    _status, output = start(place, ONE_IS_WRONG="1")
    assert (table(output.split("\n")).out_of_bounds or 0) > 0


def test_the_status_is_that_of_the_process_that_failed(place: Path) -> None:
    (torch_in(place) / "distributed.py").write_text("import os\nif os.environ['RANK'] == '1': raise SystemExit(9)\n" + DISTRIBUTED)
    assert start(place)[0] == 9


def start_pod(place: Path, node: int, gpus: int = 2, cwd: str = "/", **environment: str) -> tuple[int, str]:
    env = {"PATH": f"{place}/bin:/usr/bin:/bin", "MASTER_ADDR": "node-0.nccl", **environment}
    line = ["/bin/sh", "-c", POD, "nccl-test", str(gpus), str(node), "2", "1024", "4096", TORCH]
    done = subprocess.run(line, env=env, cwd=cwd, capture_output=True, text=True, check=False, timeout=60, start_new_session=True)
    assert "syntax" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def test_a_pod_runs_a_process_for_each_gpu_of_its_node(place: Path) -> None:
    status, output = start_pod(place, 1)
    assert status == 0 and "#  Rank  2 " in output and "#  Rank  3 " in output and "float" not in output, "only the first rank prints the table"
    _status, output = start_pod(place, 0)
    found = table(output.split("\n"))
    assert (found.ranks, [row.bandwidth for row in found.rows], found.out_of_bounds) == (2, [1.54, 3.07, 6.14], 0), output
    assert output.startswith(f"mlfleet.hyperpod: program {place}/bin/python3 with PyTorch\n")


def test_the_time_to_meet_other_nodes_is_that_of_the_environment(place: Path) -> None:
    assert start_pod(place, 1, MEETING_SECONDS="1500")[0] == 0


def test_a_process_of_a_pod_that_fails_ends_the_others(place: Path) -> None:
    waits = "import os, time\nif os.environ['RANK'] == '2': time.sleep(600)\nraise SystemExit(9)\n"
    (torch_in(place) / "distributed.py").write_text(waits)
    assert start_pod(place, 1)[0] == 1


def test_a_pod_without_pytorch_reports_it(place: Path) -> None:
    (torch_in(place) / "__init__.py").write_text("import nothing_of_that_name")
    assert start_pod(place, 0) == (127, "mlfleet.hyperpod: no program PyTorch\n")
