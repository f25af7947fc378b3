# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts that submit several jobs. Each case was tried with ``sbatch -vv --test-only``, which prints the array that it has read.

sbatch itself refuses an unpaired quotation mark."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.directives import several

BEGIN = "#!/bin/bash\n"
COMMANDS = "true\n" * 100


@pytest.mark.parametrize(
    ("lines", "option"),
    [
        ("#SBATCH --array=1-3", "--array"),
        ("#SBATCH --array 1-3", "--array"),
        ("#SBATCH --arr=1-3", "--arr"),
        ("#SBATCH --ar=1-3", "--ar"),
        ("#SBATCH -a 0-3", "-a"),
        ("#SBATCH -a0-3", "-a"),
        ("#SBATCH -array=1", "-a"),
        ("#SBATCH -Qa1-3", "-Qa"),
        ("#SBATCH -hsvHOQVWa 1", "-hsvHOQVWa"),
        ("#SBATCH --time=1 -a 1-4", "-a"),
        ("#SBATCH --exclusive --array=1", "--array"),
        ("#SBATCH '--array=1-3'", "--array"),
        ("#SBATCH --ar'ray=1'", "--array"),
        ("#SBATCH --ar\\ray=1", "--array"),
        ('#SBATCH --comment="a # b" -a1', "-a"),
        ('#SBATCH --comment="it\'s" -a1', "-a"),
        ("#SBATCH --comment='a -a 1", "-a"),
        ("#SBATCH\t--array=1", "--array"),
        ("#SBATCH\x0b--array=1", "--array"),
        ("#SBATCH --time=1\x0c--array=1", "--array"),
        ("#SBATCH --time=1\r --array=1", "--array"),
        ("#SBATCH--array=1", "--array"),
        ("#SBATCH --time=1 \\\n#SBATCH --array=1", "--array"),
        ("\n \t\n  # words\n#SBATCH --array=1", "--array"),
        ("#SBATCH hetjob", "hetjob"),
        ("#SBATCH -n1 hetjob", "hetjob"),
        ("#SBATCH packjob", "packjob"),
    ],
)
def test_directives_of_several_jobs_are_found(lines: str, option: str) -> None:
    found = several(f"{BEGIN}{lines}\ntrue\n")
    assert found is not None and (found.text, found.line) == (f"#SBATCH {option}", 2 + lines.count("\n"))


@pytest.mark.parametrize(
    ("lines", "option"),
    [
        ("#PBS -t 1-3", "-t"),
        ("#PBS -J 1-3 # words", "-J"),
        ("#PBS -l nodes=2 -Vt1-3", "-Vt"),
        ("#PBS --arr=1-3", "--arr"),
        ("#PBS --job_a 1-3", "--job_a"),
        (f"{COMMANDS}#PBS -t1-3", "-t"),
    ],
    ids=lambda value: value[-12:],
)
def test_directives_of_pbs_are_found_also_between_commands(lines: str, option: str) -> None:
    found = several(f"{BEGIN}{lines}\n")
    assert found is not None and found.text == f"#PBS {option}"


@pytest.mark.parametrize(
    "lines",
    [
        "#SBATCH --time=1 # no --array here",
        "#SBATCH --time=1#--array=1",
        "#SBATCH # --array=1",
        "#SBATCH --comment=a#b -a1",
        "true\n#SBATCH --array=1-3",
        "cat >x <<E\n#SBATCH --array=1-3\nE",
        "--array=1",
        '#SBATCH --job-name="a -a b"',
        "#SBATCH --job-name=a\\ -a\\ 1",
        '#SBATCH --comment="a\\" --array=1"',
        "#SBATCH --time=1 \\\n--array=1",
        "#SBATCH -p x-a",
        "#SBATCH -pa -Ja -qa -N1",
        "#SBATCH --export=ALL,X=--array",
        "#SBATCH --account=a --acctg-freq=1",
        "##SBATCH --array=1",
        "#sbatch --array=1",
        " #SBATCH --array=1",
        "# --array is not used",
        "#SBATCH --job-name='a b",
        "#PBS -N train -a 12:00 -l walltime=1",
        f"{COMMANDS}true\n#PBS -t 1-3",
    ],
    ids=lambda value: value[-40:],
)
def test_scripts_with_one_job_have_no_such_directive(lines: str) -> None:
    assert several(f"{BEGIN}{lines}\ntrue\n") is None
