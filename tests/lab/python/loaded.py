# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""For processes whose forks run modules: the slow imports happen once for all of them, and each fork ends like a separate
process.
"""

from __future__ import annotations

import atexit
import gc
import sys
import threading
import traceback
import typing as t

import ansible.module_utils.basic  # pylint: disable=unused-import  # noqa: F401 - loaded for the forks
import boto3
import botocore.session
import cryptography.x509  # pylint: disable=unused-import  # noqa: F401 - loaded for the forks

SERVICES = ("acm", "ec2", "elbv2", "logs", "sagemaker", "secretsmanager", "ssm", "sts")


def load() -> None:
    """Load Ansible's module code, boto3 and the service models for this process and its forks."""
    loader = botocore.session.create_loader()
    botocore.session.create_loader = lambda search_path_string=None: loader
    for service in SERVICES:
        boto3.client(service, region_name="us-west-2", aws_access_key_id="none", aws_secret_access_key="none")
    boto3.DEFAULT_SESSION = None
    gc.freeze()


def exit_code(program: t.Callable[[], t.Any]) -> int:
    """Run a program like a Python script, including its exit handlers; the fork then exits with this code by ``os._exit``."""
    code = 0
    try:
        program()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # printed as Python would print it
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code & 0xFF
