# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The programs that ``srun`` or a Pod starts on the nodes. Standard library only, Python 3.9 syntax.

The controller node has neither GPUs nor nccl-tests, so each Slurm node searches for nccl-tests, in the folders of AWS's deep
learning images and samples. Without nccl-tests, PyTorch does the same reduction and prints a table of the same layout. On Slurm
nodes, PyTorch is never started as root, and a program that other accounts can change is not started. For Python, this includes all
files of its installation.
"""

from __future__ import annotations

from ...._node.system import SEARCH_PATH

FOUND = "mlfleet.hyperpod: program"
"""The prefix of the line with the program that a node uses."""
NOT_THERE = "mlfleet.hyperpod: no program"
NOT_SAFE = "mlfleet.hyperpod: refused program"
"""The prefix of the line about a program that accounts other than root can change."""
NOT_AS_ROOT = "mlfleet.hyperpod: PyTorch does not run as root"

_PLACES = '/opt/pytorch/bin/python3 /opt/venv/bin/python3 /opt/conda/bin/python3 "$own"'

_ROOT_ALONE = """\
trusted() (  # only root can change the file, the folders above it, and the targets of links on its path
  path=$1
  [ -e "$path" ] || exit 1
  while :; do
    set -- $(stat -c '%u %A' -- "$path")
    [ "${1:-}" = 0 ] || exit 1
    case $2 in
      l*)
        link=$(readlink -- "$path")
        case $link in /*) ;; *) link=${path%/*}/$link ;; esac
        trusted "$link" || exit 1 ;;
      ?????w* | ????????w*) exit 1 ;;
    esac
    [ "$path" != / ] || exit 0
    path=${path%/*}
    path=${path:-/}
  done
)
"""
_OF_THE_IMAGE = """\
trusted() { [ -e "$1" ]; }  # all files are from the image
"""
_LIBRARIES = """\
for folder in /opt/amazon/efa/lib /opt/amazon/efa/lib64 /opt/amazon/openmpi/lib /opt/amazon/openmpi/lib64 \\
    /opt/amazon/ofi-nccl/lib /opt/amazon/ofi-nccl/lib64 /opt/amazon/ofi-nccl/lib/*-linux-gnu /opt/aws-ofi-nccl/lib \\
    /usr/local/cuda/efa/lib /usr/local/cuda/lib /usr/local/cuda/lib64; do
  if trusted "$folder"; then LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder; fi
done
export LD_LIBRARY_PATH
"""
_WHOLE = """\
whole() (  # prints a file of a tree, or a target of its links, that accounts other than root can change
  trusted "$1" || { echo "$1"; exit 1; }
  top=$(readlink -f -- "$1")
  bad=$(find -L "$top" ! -type l '(' ! -user 0 -o -perm /022 ')' -print -quit 2>/dev/null) || true
  [ -z "$bad" ] || { echo "$bad"; exit 1; }
  find -L "$top" -xtype l -exec readlink -f -- '{}' + 2>/dev/null | sort -u | while IFS= read -r target; do
    case $target in "$top"/*) continue ;; esac
    [ -e "$target" ] || target=${target%/*}
    trusted "${target:-/}" || { echo "$target"; exit 1; }
  done
)
interpreter() (  # prints a file of a Python that accounts other than root can change, without starting it
  real=$(readlink -f -- "$1")
  home=$(sed -n 's/^home *= *//p' "${1%/*/*}/pyvenv.cfg" 2>/dev/null) || home=
  for each in "$1" "$real" ${home:+"$home/python3"}; do
    trusted "${each%/*}" && { [ ! -e "$each" ] || trusted "$each"; } || { echo "$each"; exit 1; }
    case ${each%/*/*} in
      '' | /usr | /usr/local)
        for tree in /usr/lib/python3* /usr/lib64/python3* /usr/local/lib/python3* /usr/local/lib64/python3*; do
          [ ! -e "$tree" ] || whole "$tree" || exit 1
        done ;;
      *) whole "${each%/*/*}" || exit 1 ;;
    esac
  done
)
"""
_VERSION = "import sys; print('python%d.%d' % sys.version_info[:2])"
_OF_PACKAGES = "import os, sys; sys.path += os.environ['PACKAGES'].split(':')"
"""Replaces the module ``site``, which runs lines of ``.pth`` files."""
_CHECKED_PYTHON = f"""\
if [ "$(id -u)" = 0 ]; then
  if [ -n "${{refused:-}}" ]; then echo "{NOT_SAFE}$refused"; else echo "{NOT_AS_ROOT}"; fi
  exit 127
fi
for each in {_PLACES}; do
  [ -x "$each" ] && [ -n "$(find "${{each%/*/*}}"/lib*/python3*/ "${{each%/*/*}}"/local/lib*/python3*/ \
    -maxdepth 2 -path '*-packages/torch' 2>/dev/null)" ] || continue
  if ! bad=$(interpreter "$each"); then refused="${{refused:-}} $bad"; continue; fi
  version=$("$each" -I -S -c "{_VERSION}" 2>/dev/null) || continue
  PACKAGES=
  for folder in "${{each%/*/*}}"/local/lib*/ "${{each%/*/*}}"/lib*/; do
    for packages in "$folder$version"/site-packages "$folder$version"/dist-packages "${{folder}}python3/dist-packages"; do
      [ ! -d "$packages" ] || PACKAGES=${{PACKAGES:+$PACKAGES:}}$packages
    done
  done
  export PACKAGES
  if "$each" -I -S -c "{_OF_PACKAGES}; import torch" 2>/dev/null; then python=$each; break; fi
done
torch="{_OF_PACKAGES}
$torch"
"""
_PYTHON_OF_THE_IMAGE = f"""\
for each in {_PLACES}; do
  if [ -x "$each" ] && "$each" -I -c 'import torch' 2>/dev/null; then python=$each; break; fi
done
"""
_FOUND_PYTHON = f"""\
if [ -z "${{python:-}}" ]; then
  if [ -n "${{refused:-}}" ]; then echo "{NOT_SAFE}$refused"; else echo "{NOT_THERE} $missing"; fi
  exit 127
fi
echo "{FOUND} $python with PyTorch"
"""

LAUNCHER = f"""\
PATH={SEARCH_PATH}
export PATH
cd / || exit 1
own=$(command -v python3) || own=
missing='all_reduce_perf, and no PyTorch'
program=$1 gpus=$2 begin=$3 end=$4 torch=$5
{_ROOT_ALONE}{_WHOLE}{_LIBRARIES}if [ -n "$program" ] && [ ! -x "$program" ]; then echo "{NOT_THERE} $program"; exit 127; fi
for each in "$program" /usr/local/cuda/efa/test-cuda*/all_reduce_perf /usr/local/cuda-*/efa/test-cuda*/all_reduce_perf \\
    /opt/nccl-tests/build/all_reduce_perf /opt/nccl-tests/all_reduce_perf \\
    /usr/local/bin/all_reduce_perf /usr/bin/all_reduce_perf; do
  [ -x "$each" ] || continue
  if ! trusted "$each"; then
    if [ "$each" = "$program" ]; then echo "{NOT_SAFE} $program"; exit 127; fi
    refused="${{refused:-}} $each"
    continue
  fi
  echo "{FOUND} $each"
  exec "$each" -b "$begin" -e "$end" -f 2 -g "$gpus" -n 20 -w 5
done
{_CHECKED_PYTHON}{_FOUND_PYTHON}if [ "$SLURM_NTASKS" -gt 1 ]; then
  export RANK="$SLURM_PROCID" LOCAL_RANK="$SLURM_LOCALID" WORLD_SIZE="$SLURM_NTASKS"
  exec "$python" -I -S -c "$torch" "$begin" "$end"
fi
export WORLD_SIZE="$gpus" MASTER_ADDR=127.0.0.1
rank=0 processes=
while [ "$rank" -lt "$gpus" ]; do
  RANK=$rank LOCAL_RANK=$rank "$python" -I -S -c "$torch" "$begin" "$end" &
  processes="$processes $!" rank=$((rank + 1))
done
status=0
for process in $processes; do wait "$process" || status=$?; done
exit "$status"
"""
"""A script for ``sh -c``. A single node runs one task with all GPUs. With several nodes, each GPU has a task."""

POD = f"""\
own=$(command -v python3) || own=
PATH={SEARCH_PATH}
export PATH
cd / || exit 1
missing=PyTorch
gpus=$1 node=$2 nodes=$3 begin=$4 end=$5 torch=$6
{_OF_THE_IMAGE}{_LIBRARIES}{_PYTHON_OF_THE_IMAGE}{_FOUND_PYTHON}export WORLD_SIZE=$((gpus * nodes))
trap 'trap "" TERM; kill -TERM 0; exit 1' TERM
local=0
while [ "$local" -lt "$gpus" ]; do
  (RANK=$((node * gpus + local)) LOCAL_RANK=$local "$python" -I -c "$torch" "$begin" "$end" || kill -TERM $$) &
  local=$((local + 1))
done
wait
"""
"""A script for ``sh -c`` in a Pod with all GPUs of a node. The first process that fails ends the others, which would wait for it.

The image's own search path is used only to find Python.
"""

TORCH = """\
import datetime, os, socket, sys, time
import torch
import torch.distributed as dist

def say(line):  # at once: all processes of a pod write into one pipe
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()

rank, local, world = (int(os.environ[name]) for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"))
size, end = int(sys.argv[1]), int(sys.argv[2])
torch.cuda.set_device(local)
dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=int(os.environ.get("MEETING_SECONDS", "600"))))
name = torch.cuda.get_device_name(local)
say(f"#  Rank {rank:2} Group  0 Pid {os.getpid():6} on {socket.gethostname()} device {local:2} {name}")
all_wrong = 0
while size <= end:
    values = torch.ones(size // 4, dtype=torch.float32, device="cuda")
    dist.all_reduce(values)
    wrong = int((values != world).sum().item())
    values.zero_()
    for _warmup in range(5):
        dist.all_reduce(values)
    dist.barrier()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _turn in range(20):
        dist.all_reduce(values)
    torch.cuda.synchronize()
    measured = torch.tensor([(time.perf_counter() - begin) / 20, float(wrong)], dtype=torch.float64, device="cuda")
    slowest = measured.clone()
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    dist.all_reduce(measured)
    seconds, wrong = slowest[0].item(), int(measured[1].item())
    all_wrong += wrong
    one = size / seconds / 1e9
    half = f"{seconds * 1e6:.2f} {one:.2f} {one * 2 * (world - 1) / world:.2f} {wrong}"
    if rank == 0:
        say(f"{size} {size // 4} float sum -1 {half} {half}")
    del values
    size *= 2
if rank == 0:
    say(f"# Out of bounds values : {all_wrong} {'FAILED' if all_wrong else 'OK'}")
dist.destroy_process_group()
"""
"""A program for ``python3 -I -c``. It needs no torchrun, because srun or the shell of a Pod starts the processes.

``MEETING_SECONDS`` is the time for which processes wait for the others; the default is PyTorch's 600.
"""
