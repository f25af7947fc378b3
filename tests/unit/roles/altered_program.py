# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the training program with one function replaced. Arguments: the name of a function below, the program, its arguments."""

from __future__ import annotations

import importlib.util
import sys
import typing as t


def one_weight_differs(program: t.Any) -> None:
    """The last rank adds 0.001 to one of its weights in step 3."""
    correct = program.train_step

    def train_step(trainer, step):
        result = correct(trainer, step)
        if step == 3 and program.RANK == program.WORLD - 1:
            next(trainer.model.parameters()).detach().to_local()[0, 0] += 1e-3
        return result

    program.train_step = train_step


def float16(program: t.Any) -> None:
    """The data type of GPUs below compute capability 8.0, on a CPU."""
    start = program.start
    program.start = lambda: (*start()[:2], program.reduced_precision(7))


def load(path: str) -> t.Any:
    spec = importlib.util.spec_from_file_location("train", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


if __name__ == "__main__":
    alteration, path, *arguments = sys.argv[1:]
    loaded = load(path)
    globals()[alteration](loaded)
    loaded.main(arguments)
