"""Fixtures for modules that run as in Ansible, against the simulated API, with the containment and time limits of unit tests."""

import pytest

pytest.register_assert_rewrite("simulated.shape")

from modules.fixtures.account import account, one_account  # noqa: E402
from modules.fixtures.balancer import faults, network, policies, simulator  # noqa: E402
from modules.fixtures.client_vpn import endpoint, lab, running  # noqa: E402
from modules.fixtures.client_vpn_place import key, made, place  # noqa: E402
from modules.fixtures.eks_cluster import eks_cluster  # noqa: E402
from modules.fixtures.governed import governed, governed_cluster  # noqa: E402
from modules.fixtures.image import images, registry  # noqa: E402
from modules.fixtures.lustre import lustre  # noqa: E402
from modules.fixtures.node import node  # noqa: E402
from modules.fixtures.small_cluster import small_cluster  # noqa: E402
from unit.conftest import (  # noqa: E402
    pytest_configure,
    pytest_runtest_call,
    pytest_runtest_setup,
    pytest_runtest_teardown,
    pytest_unconfigure,
)

__all__ = [
    "account",
    "eks_cluster",
    "endpoint",
    "faults",
    "governed",
    "governed_cluster",
    "images",
    "key",
    "lab",
    "lustre",
    "made",
    "network",
    "node",
    "one_account",
    "place",
    "policies",
    "pytest_configure",
    "pytest_runtest_call",
    "pytest_runtest_setup",
    "pytest_runtest_teardown",
    "pytest_unconfigure",
    "registry",
    "running",
    "simulator",
    "small_cluster",
]
