# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""For processes whose forks run modules: what takes most of a module's time is done once for all of them, and each ends
as a process of its own does.
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
    """Ansible's own module code, boto3, and the models of the services, for clients of this process and its forks."""
    loader = botocore.session.create_loader()
    botocore.session.create_loader = lambda search_path_string=None: loader
    for service in SERVICES:
        boto3.client(service, region_name="us-west-2", aws_access_key_id="none", aws_secret_access_key="none")
    boto3.DEFAULT_SESSION = None
    gc.freeze()


def exit_code(program: t.Callable[[], t.Any]) -> int:
    """Run it as Python runs a script, its end included; the fork then leaves with this code by ``os._exit``."""
    code = 0
    try:
        program()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # told as Python would tell it
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code & 0xFF
