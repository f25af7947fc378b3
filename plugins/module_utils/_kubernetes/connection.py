# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Connects a module to an API server. The module's options select it by a kubeconfig, or by the name of an EKS cluster."""

from __future__ import annotations

import tempfile
import typing as t

try:
    from kubernetes import client, config
except ImportError:  # HAS_KUBERNETES of client.py is then false
    pass
try:
    from botocore.exceptions import BotoCoreError
except ImportError:  # AnsibleAWSModule reports the missing library
    pass

from ansible.module_utils.basic import missing_required_lib

from .._aws.client import connect
from .._core.failure import Failure, refuse_option
from .._core.text import printable
from . import eks, package
from .client import HAS_KUBERNETES, Kubernetes
from .token import Bearer, token

KUBECONFIG = {
    "kubeconfig": {"type": "path"},
    "context": {"type": "str"},
}
CONNECTION = {"eks_cluster": {"type": "str"}, **KUBECONFIG}


def connect_kubernetes(module: t.Any) -> Kubernetes:
    """
    :raises AwsError: also if the EKS cluster does not exist.
    :raises Failure: if the package is missing or unusable, the kubeconfig is invalid, or the cluster has no API server.
    """
    _require_package()
    given = module.params
    if given["eks_cluster"] and (given["kubeconfig"] or given["context"]):
        allowed = "no value together with kubeconfig or context"
        refuse_option("eks_cluster", given["eks_cluster"], allowed, "kubeconfig or context already selects the API server")
    if not given["eks_cluster"]:
        return _kubeconfig(given["kubeconfig"], given["context"])
    return connect_eks(module, eks.cluster_name(given["eks_cluster"], module.region))


def connect_cluster(module: t.Any, eks_cluster_arn: str) -> Kubernetes:
    """The API server of an EKS cluster, from the module's kubeconfig or context if one is set, otherwise from EKS.

    :raises AwsError: as ``connect_kubernetes``.
    :raises Failure: as ``connect_kubernetes``.
    """
    _require_package()
    given = module.params
    if given["kubeconfig"] or given["context"]:
        return _kubeconfig(given["kubeconfig"], given["context"])
    return connect_eks(module, eks_cluster_arn.rpartition("/")[2])


def _require_package() -> None:
    if not HAS_KUBERNETES:
        raise Failure(missing_required_lib("kubernetes"))
    package.check_release()


def _kubeconfig(path: str | None, context: str | None) -> Kubernetes:
    configuration = client.Configuration()
    try:
        t.cast(t.Any, config).load_kube_config(path, context=context, client_configuration=configuration, persist_config=False)
    except (config.ConfigException, OSError, ValueError) as error:
        raise Failure(f"kubeconfig: {path or 'the default file'} is unusable: {error}") from error
    package.check_header(configuration)
    return Kubernetes(configuration, "Check the user of the kubeconfig's context.")


def connect_eks(module: t.Any, name: str) -> Kubernetes:
    """The API server of an EKS cluster, with the caller's AWS credentials. The connection works until the credentials expire.

    :raises AwsError: also if the cluster does not exist.
    :raises Failure: if the package is missing or unusable, and for a cluster without an API server.
    """
    _require_package()
    server = eks.api_server(eks.describe(connect(module, "eks"), name))
    configuration = client.Configuration()
    configuration.host = server.host
    with tempfile.NamedTemporaryFile("wb", dir=module.tmpdir, suffix=".crt", delete=False) as file:  # Ansible deletes the folder
        file.write(server.authority)
    configuration.ssl_ca_cert = file.name
    bearer = _bearer(connect(module, "sts").client, name)
    bearer(configuration)  # the package refreshes only an existing token
    package.check_header(configuration)
    t.cast(t.Any, configuration).refresh_api_key_hook = bearer
    try:
        return Kubernetes(configuration, server.login)
    except OSError as error:
        raise Failure(f"The certificate authority of EKS cluster {name} is unusable: {error}") from error


def _bearer(sts: t.Any, name: str) -> Bearer:
    def sign() -> str:
        try:
            return token(sts, name)
        except BotoCoreError as error:
            problem = f"The token for EKS cluster {name} could not be signed: {printable(str(error))}."
            raise Failure(f"{problem} Renew the credentials of the profile, then run again.") from error

    return Bearer(sign)
