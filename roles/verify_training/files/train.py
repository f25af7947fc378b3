# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small training job that verifies a cluster. ``torchrun`` runs it in each process. Requires only PyTorch 2.7 or newer.

Prints one JSON object per line, between the lines of NCCL. The exit status is 0 after the training, 1 after an error, 75 at the
deadline and 143 after SIGTERM. Restarts require ``--rdzv-backend c10d``, and TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in torchrun's
environment (pytorch/pytorch#135712).
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import hashlib
import json
import math
import os
import select
import shutil
import signal
import socket
import threading
import time
import traceback
import typing as t
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

PREFIX = "mlfleet_training"
"""First key of each line; its value is the name of the event."""
FOLDER, COMPLETE = "step-????????", "complete.json"
"""The pattern of a checkpoint's folder, and the file that rank 0 writes into it last, because some storage can't rename folders."""
KEPT, WARM_UP, VISIBLE_AFTER = 2, 5, 30
"""The number of checkpoints to keep, the steps after each start that do not count for the throughput, and the seconds within which
a file must be visible on all nodes.
"""
LOSS_SCALE = 1024.0
"""The factor that keeps small gradients representable in float16. Constant, because a dynamic one skips updates of the weights."""
INFINIBAND = "/sys/class/infiniband"
"""The folder of RDMA devices."""
SENT = "ports/1/hw_counters/tx_bytes"
"""The file of a device with the number of bytes that it has sent."""
EFA = ("0x1d0f", "0xefa")
"""The vendor, and the beginning of the device ID, of EFA devices."""
RANK, WORLD = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK, LOCAL_WORLD = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


class Size(t.NamedTuple):
    width: int
    layers: int
    vocabulary: int
    length: int
    batch: int
    rate: float


SIZES = {
    "small": Size(width=128, layers=2, vocabulary=512, length=128, batch=8, rate=3e-3),
    "medium": Size(width=1024, layers=8, vocabulary=8192, length=1024, batch=8, rate=3e-4),
    "large": Size(width=2048, layers=4, vocabulary=8192, length=1024, batch=16, rate=3e-4),
}


class Progress:
    """The progress of the main thread. ``attempt`` is the same on all ranks and increases with each restart."""

    phase, step, attempt = "start", 0, 0


def report(event: str, **fields: t.Any) -> None:
    """Write one line. It is shorter than PIPE_BUF, so that lines of several ranks never mix."""
    common = {PREFIX: event, "rank": RANK, "attempt": Progress.attempt, "time": round(time.time(), 3)}
    os.write(1, (json.dumps({**common, **fields}, allow_nan=False) + "\n").encode())


def watch(deadline: float) -> None:
    """End the process at the deadline and at SIGTERM, even if a collective blocks the main thread."""
    reader, writer = os.pipe2(os.O_NONBLOCK)
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(writer)

    def wait() -> None:
        received = os.read(reader, 1)[0] if select.select([reader], [], [], deadline)[0] else 0
        writable = select.select([], [1], [], 1)[1]
        if writable and received:
            report("ended", signal=received, phase=Progress.phase, step=Progress.step)
        elif writable:
            report("deadline", seconds=deadline, phase=Progress.phase, step=Progress.step)
        os._exit(128 + received if received else 75)

    threading.Thread(target=wait, daemon=True).start()


class Decoder(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size.vocabulary, size.width)
        options = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        shape = {"d_model": size.width, "nhead": size.width // 64, "dim_feedforward": 4 * size.width}
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(**shape, **options) for _layer in range(size.layers))
        self.head = nn.Linear(size.width, size.vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device, dtype=x.dtype)
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        return self.head(x)


class Trainer(t.NamedTuple):
    device: torch.device
    mesh: dist.DeviceMesh
    size: Size
    seed: int
    model: nn.Module
    optimizer: torch.optim.Optimizer
    scale: float

    def loss(self, step: int, rank: int) -> torch.Tensor:
        """The loss on arithmetic progressions, which depend only on seed, step and rank. Step 0 is for validation."""
        generator, batch = torch.Generator().manual_seed((self.seed << 44) + (step << 20) + rank), (self.size.batch, 1)
        first = torch.randint(0, self.size.vocabulary, batch, generator=generator)
        stride = torch.randint(1, 4, batch, generator=generator)
        tokens = ((first + torch.arange(self.size.length + 1) * stride) % self.size.vocabulary).to(self.device)
        return nn.functional.cross_entropy(self.model(tokens[:, :-1]).float().flatten(0, 1), tokens[:, 1:].flatten())

    def state(self) -> dict[str, t.Any]:
        return dict(zip(("model", "optimizer"), get_state_dict(self.model, self.optimizer), strict=True))


def mean_of_ranks(loss: torch.Tensor) -> float:
    total = loss.detach().clone()
    dist.all_reduce(total)
    if not math.isfinite(value := total.item() / WORLD):
        raise FloatingPointError(f"The loss is not finite: {value}.")
    return value


def train_step(trainer: Trainer, step: int) -> tuple[float, float]:
    """The loss, and the duration of the step in seconds."""
    began, loss = time.monotonic(), trainer.loss(step, RANK)
    (loss * trainer.scale).backward()
    for parameter in trainer.model.parameters():
        parameter.grad /= trainer.scale
    trainer.optimizer.step()
    trainer.optimizer.zero_grad()
    return mean_of_ranks(loss), round(time.monotonic() - began, 6)


def validate(trainer: Trainer) -> float:
    Progress.phase = "validate"
    with torch.no_grad():
        return mean_of_ranks(trainer.loss(0, 0))


def compare_replicas(trainer: Trainer, step: int) -> None:
    """Compare local shards, because gathered tensors are equal by construction. Raises on all ranks, so that no rank saves."""
    Progress.phase = "compare"
    replica, shard = trainer.mesh.get_coordinate()
    digest = hashlib.sha256()
    for parameter in trainer.model.parameters():
        local = parameter.detach().to_local().cpu().contiguous()
        digest.update(ctypes.string_at(local.data_ptr(), local.nbytes) if local.numel() else b"")
    report("weights", step=step, shard=shard, replica=replica, sha256=digest.hexdigest())
    everywhere: list[t.Any] = [None] * WORLD
    dist.all_gather_object(everywhere, (shard, digest.hexdigest()))
    if len(set(everywhere)) != LOCAL_WORLD:
        raise RuntimeError(f"Replicas of the weights differ after step {step}.")


def complete(directory: Path) -> list[Path]:
    return sorted(marker.parent for marker in directory.glob(f"{FOLDER}/{COMPLETE}"))


def save(trainer: Trainer, directory: Path, step: int) -> None:
    validation = validate(trainer)
    compare_replicas(trainer, step)
    Progress.phase = "save"
    began, folder = time.monotonic(), directory / f"step-{step:08d}"
    dcp.save(trainer.state(), checkpoint_id=folder)
    Progress.phase = "share"
    while not (folder / ".metadata").exists():
        if time.monotonic() > began + VISIBLE_AFTER:
            raise FileNotFoundError(f"Rank 0 wrote {folder.name}/.metadata, which is not visible on this node.")
        time.sleep(0.5)
    dist.barrier()
    if RANK == 0:
        seconds, size = round(time.monotonic() - began, 3), sum(file.stat().st_size for file in folder.iterdir())
        (folder / COMPLETE).write_text(json.dumps({"step": step, "validation": validation, "bytes": size}))
        report("saved", step=step, folder=folder.name, validation=validation, seconds=seconds, bytes=size)
        for old in complete(directory)[:-KEPT]:
            (old / COMPLETE).unlink()
            shutil.rmtree(old, ignore_errors=True)


def load(trainer: Trainer, directory: Path, resume: bool) -> tuple[int, float | None, int | None]:
    """Load the newest complete checkpoint. Return its step, the duration in seconds, and its size in bytes (only on rank 0).

    Rank 0 selects the checkpoint, because other nodes may have an outdated list in their cache.
    """
    Progress.phase, chosen = "load", [""]
    if RANK == 0:
        directory.mkdir(parents=True, exist_ok=True)
        chosen = [folder.name for folder in complete(directory)[-1:]] or chosen
        for partial in set(directory.glob(FOLDER)) - set(complete(directory)):
            shutil.rmtree(partial, ignore_errors=True)
    dist.broadcast_object_list(chosen)
    if not chosen[0]:
        return 0, None, None
    if not resume:
        raise FileExistsError(f"The directory has the checkpoint {chosen[0]}: pass --resume, or an empty directory.")
    began, folder = time.monotonic(), directory / chosen[0]
    dcp.load(loaded := trainer.state(), checkpoint_id=folder)
    seconds = round(time.monotonic() - began, 3)
    set_state_dict(trainer.model, trainer.optimizer, model_state_dict=loaded["model"], optim_state_dict=loaded["optimizer"])
    size = json.loads((folder / COMPLETE).read_text())["bytes"] if RANK == 0 else None
    return int(folder.name.removeprefix("step-")), seconds, size


def reduced_precision(major: int) -> torch.dtype:
    """:param major: the major version of the GPU's compute capability."""
    return torch.bfloat16 if major >= 8 else torch.float16


def start() -> tuple[torch.device, int, torch.dtype]:
    """The device, the memory of the GPU in bytes (0 without a GPU), and the data type."""
    device = torch.device("cuda", LOCAL_RANK) if torch.cuda.is_available() else torch.device("cpu")
    name, memory, capability, nccl, dtype = "cpu", 0, "", "", torch.float32
    if device.type == "cuda":
        torch.cuda.set_device(device)
        gpu = torch.cuda.get_device_properties(device)
        name, memory, capability = gpu.name, gpu.total_memory, f"{gpu.major}.{gpu.minor}"
        nccl, dtype = ".".join(map(str, torch.cuda.nccl.version())), reduced_precision(gpu.major)
    node, host, precision = int(os.environ.get("GROUP_RANK", "0")), socket.gethostname(), str(dtype).removeprefix("torch.")
    report("start", world=WORLD, node=node, local_rank=LOCAL_RANK, local_world=LOCAL_WORLD, host=host, pid=os.getpid(),
           device=name, memory=memory, capability=capability, dtype=precision,
           torch=torch.__version__, cuda=torch.version.cuda or "", nccl=nccl)  # fmt: skip
    return device, memory, dtype


def join(device: torch.device, deadline: float) -> dist.DeviceMesh:
    """The mesh of devices. The model is replicated over nodes and sharded within a node."""
    Progress.phase = "join"
    name, timeout = "nccl" if device.type == "cuda" else "gloo", datetime.timedelta(seconds=deadline + 60)
    dist.init_process_group(name, timeout=timeout, device_id=device if name == "nccl" else None)
    now = torch.tensor(int(time.time() * 1000), device=device)
    dist.all_reduce(now, dist.ReduceOp.MAX)
    Progress.attempt = int(now.item())
    return dist.init_device_mesh(device.type, (WORLD // LOCAL_WORLD, LOCAL_WORLD), mesh_dim_names=("replicate", "shard"))


def build(device: torch.device, mesh: dist.DeviceMesh, dtype: torch.dtype, size: Size, seed: int) -> tuple[Trainer, int]:
    """The trainer, and the number of parameters."""
    Progress.phase = "build"
    torch.manual_seed(seed)
    with device:
        model = Decoder(size)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    for module in (*model.layers, model):
        fully_shard(module, mesh=mesh, mp_policy=MixedPrecisionPolicy(dtype, torch.float32), reshard_after_forward=True)
    optimizer, scale = torch.optim.AdamW(model.parameters(), lr=size.rate), LOSS_SCALE if dtype is torch.float16 else 1.0
    return Trainer(device, mesh, size, seed, model, optimizer, scale), parameters


def last_checkpoint(before: int, every: int) -> int:
    """The step of the last checkpoint that a job writes before a step; 0 or less if no checkpoint exists."""
    return (before - 1) // every * every if every else 0


def is_efa(device: Path) -> bool:
    try:
        vendor, kind = ((device / "device" / name).read_text().strip() for name in ("vendor", "device"))
    except FileNotFoundError:  # a device without PCI
        return False
    return vendor == EFA[0] and kind.startswith(EFA[1])


def efa_sent(folder: Path) -> tuple[int | None, int | None]:
    """The number of EFA devices, and the bytes that they have sent since they were added; None for numbers that cannot be read."""
    try:
        devices = [device for device in folder.iterdir() if is_efa(device)] if folder.exists() else []
    except OSError:
        return None, None
    try:
        return len(devices), sum(int((device / SENT).read_text()) for device in devices)
    except (OSError, ValueError):
        return len(devices), None


def efa_grown(before: tuple[int | None, int | None], after: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    """The number of EFA devices, and the bytes that they sent in between; None for unknown numbers."""
    if None in (*before, *after) or before[0] != after[0] or after[1] < before[1]:
        return after[0], None
    return after[0], min(after[1] - before[1], 2**53)


def run(args: argparse.Namespace) -> None:
    device, memory, dtype = start()
    before = efa_sent(Path(INFINIBAND)) if LOCAL_RANK == 0 else (None, None)
    name = args.size or ("small" if not memory else "large" if dtype is torch.bfloat16 and memory > 30 * 2**30 else "medium")
    trainer, parameters = build(device, join(device, args.deadline), dtype, SIZES[name], args.seed)
    first, took, read = load(trainer, args.directory, args.resume) if args.checkpoint_every else (0, None, None)
    vocabulary, validation = trainer.size.vocabulary, validate(trainer) if first else None
    report("ready", step=first, parameters=parameters, size=name, vocabulary=vocabulary, validation=validation,
           load_seconds=took, load_bytes=read)  # fmt: skip
    per_step, counted, measured = trainer.size.batch * trainer.size.length * WORLD, 0, 0.0
    for step in range(first + 1, args.steps + 1):
        Progress.phase, Progress.step = "train", step
        if step in (args.kill_at, args.hold_at) and first < last_checkpoint(step, args.checkpoint_every):
            dist.barrier()  # all ranks have finished the previous step and its checkpoint
            if step == args.hold_at:
                report("held", step=step)
                threading.Event().wait()  # until the process is terminated
            if RANK == WORLD - 1:
                report("killed", step=step)
                os.kill(os.getpid(), signal.SIGKILL)
        loss, seconds = train_step(trainer, step)
        if RANK == 0:
            report("step", step=step, loss=loss, tokens=per_step, seconds=seconds)
        if step > first + WARM_UP:
            counted, measured = counted + per_step, measured + seconds
        if args.checkpoint_every and (step % args.checkpoint_every == 0 or step == args.steps):
            save(trainer, args.directory, step)
        elif step == args.steps:
            compare_replicas(trainer, step)
    Progress.phase = "end"
    updates = max((int(each["step"]) for each in trainer.optimizer.state.values()), default=0)
    rate = round(counted / measured, 3) if measured else None
    flops = 6 * parameters * rate if rate else None
    devices, sent = efa_grown(before, efa_sent(Path(INFINIBAND))) if LOCAL_RANK == 0 else (None, None)
    report("end", step=max(first, args.steps), updates=updates, tokens_per_second=rate, flops_per_second=flops,
           efa_devices=devices, efa_sent=sent)  # fmt: skip
    dist.destroy_process_group()
    if args.remove and RANK == 0:
        shutil.rmtree(args.directory, ignore_errors=True)
        if not args.directory.exists():
            report("removed")


def main(arguments: t.Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A small training job that verifies a cluster.")
    parser.add_argument("--steps", type=int, required=True, help="total number of steps, over all resumed jobs")
    parser.add_argument("--checkpoint-every", type=int, default=20, help="steps between two checkpoints; 0 for none")
    parser.add_argument("--directory", type=Path, required=True, help="directory of the checkpoints, shared by all nodes")
    parser.add_argument("--resume", action="store_true", help="resume from the newest complete checkpoint, if there is one")
    parser.add_argument("--remove", action="store_true", help="remove the directory after a successful job")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deadline", type=float, default=600.0, help="seconds after its start at which a process ends itself")
    parser.add_argument("--size", choices=SIZES, help="size of the model; depends on the memory of the GPU by default")
    parser.add_argument("--kill-at", type=int, default=0, help="step before which a process kills itself once; 0 for none")
    parser.add_argument("--hold-at", type=int, default=0, help="step before which all processes wait once for a signal; 0 for none")
    args = parser.parse_args(arguments)
    watch(args.deadline)
    try:
        run(args)
    except Exception as error:
        traceback.print_exc()
        report("error", type=type(error).__name__, message=str(error)[:300], phase=Progress.phase, step=Progress.step)
        os._exit(1)


if __name__ == "__main__":
    main()
