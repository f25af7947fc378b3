# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training cluster without the IDs, times and addresses that differ from build to build, so that two builds can be compared."""

from __future__ import annotations

import typing as t

from training_world import TrainingWorld

TAG = "mlfleet.hyperpod/cluster"
GONE = ("deleted", "deleting", "terminated", "shutting-down")
Answer = dict[str, t.Any]


class Shape:
    """Reads everything that belongs to the cluster of a world."""

    def __init__(self, world: TrainingWorld) -> None:
        self.world, self.cluster = world, world.cluster
        self.ec2, self.iam, self.eks, self.fsx = (world.aws(service) for service in ("ec2", "iam", "eks", "fsx"))

    def read(self) -> dict[str, t.Any]:
        return {**self._network(), **self._machines(), **self._roles(), **self._eks(), **self._storage(), **self._objects()}

    def _ours(self, found: t.Iterable[Answer]) -> list[Answer]:
        """Resources of EC2 or FSx with the tag of the cluster that still exist."""
        ours = [each for each in found if TAG in _tags(each)]
        return [each for each in ours if str(each.get("State", "")) not in GONE]

    def _network(self) -> dict[str, t.Any]:
        ec2 = self.ec2
        tables = self._ours(ec2.describe_route_tables()["RouteTables"])
        groups = self._ours(ec2.describe_security_groups()["SecurityGroups"])
        return {
            "vpcs": _sorted([_name(each), each["CidrBlock"]] for each in self._ours(ec2.describe_vpcs()["Vpcs"])),
            "subnets": _sorted(
                [_name(each), each["CidrBlock"], each["AvailabilityZone"]] for each in self._ours(ec2.describe_subnets()["Subnets"])
            ),
            "internet gateways": _sorted(
                [_name(each), len(each["Attachments"])] for each in self._ours(ec2.describe_internet_gateways()["InternetGateways"])
            ),
            "addresses": _sorted([_name(each), "AssociationId" in each] for each in self._ours(ec2.describe_addresses()["Addresses"])),
            "NAT gateways": _sorted([_name(each), each["State"]] for each in self._ours(ec2.describe_nat_gateways()["NatGateways"])),
            "route tables": _sorted([_name(each), len(each["Associations"]), _routes(each)] for each in tables),
            "endpoints": _sorted(
                [_name(each), len(each["RouteTableIds"])] for each in self._ours(ec2.describe_vpc_endpoints()["VpcEndpoints"])
            ),
            "security groups": _sorted(
                [each["GroupName"], len(each["IpPermissions"]), len(each["IpPermissionsEgress"])] for each in groups
            ),
        }

    def _machines(self) -> dict[str, t.Any]:
        reservations = self.ec2.describe_instances()["Reservations"]
        instances = [each for reservation in reservations for each in reservation["Instances"] if each["State"]["Name"] not in GONE]
        templates = self._ours(self.ec2.describe_launch_templates()["LaunchTemplates"])
        return {
            "instances": _sorted([each["InstanceType"]] for each in self._ours(instances)),
            "launch templates": _sorted([each["LaunchTemplateName"], each["LatestVersionNumber"]] for each in templates),
        }

    def _roles(self) -> dict[str, t.Any]:
        found = []
        for role in self.iam.list_roles(PathPrefix="/hyperpod-eks/")["Roles"]:
            name = {"RoleName": role["RoleName"]}
            attached = sorted(each["PolicyName"] for each in self.iam.list_attached_role_policies(**name)["AttachedPolicies"])
            boundary = self.iam.get_role(**name)["Role"].get("PermissionsBoundary", {}).get("PermissionsBoundaryArn")
            found.append([role["RoleName"], attached, self.iam.list_role_policies(**name)["PolicyNames"], boundary])
        return {"roles": _sorted(found)}

    def _eks(self) -> dict[str, t.Any]:
        eks, which = self.eks, {"clusterName": self.cluster}
        if self.cluster not in eks.list_clusters()["clusters"]:
            return {}
        cluster = eks.describe_cluster(name=self.cluster)["cluster"]
        groups = [eks.describe_nodegroup(**which, nodegroupName=each)["nodegroup"] for each in eks.list_nodegroups(**which)["nodegroups"]]
        addons = [eks.describe_addon(**which, addonName=each)["addon"] for each in eks.list_addons(**which)["addons"]]
        entries = {
            each: eks.list_associated_access_policies(**which, principalArn=each)["associatedAccessPolicies"]
            for each in eks.list_access_entries(**which)["accessEntries"]
        }
        return {
            "cluster": [cluster[name] for name in ("name", "version", "status", "accessConfig", "deletionProtection", "tags")],
            "groups": _sorted([each[name] for name in ("nodegroupName", "status", "scalingConfig", "labels", "taints", "tags")] for each in groups),
            "add-ons": _sorted([each["addonName"], each["addonVersion"], each["status"], each["tags"]] for each in addons),
            "entries": _sorted([arn, sorted(each["policyArn"] for each in policies)] for arn, policies in entries.items()),
            "identities": _sorted(
                [each["namespace"], each["serviceAccount"]] for each in eks.list_pod_identity_associations(**which)["associations"]
            ),
        }

    def _storage(self) -> dict[str, t.Any]:
        found = self._ours(self.fsx.describe_file_systems()["FileSystems"])
        return {"file systems": _sorted([_name(each), each["Lifecycle"], each["StorageCapacity"]] for each in found)}

    def _objects(self) -> dict[str, t.Any]:
        """Objects in Kubernetes that a build creates."""
        paths = {
            "volumes": "/api/v1/persistentvolumes",
            "claims": "/api/v1/persistentvolumeclaims",
            "daemon sets": "/apis/apps/v1/daemonsets",
            "namespaces": "/api/v1/namespaces",
        }
        return {kind: _sorted([each["metadata"]["name"]] for each in self.world.api.get(path)["items"]) for kind, path in paths.items()}


def shape(world: TrainingWorld) -> dict[str, t.Any]:
    return Shape(world).read()


def differences(before: t.Mapping[str, t.Any], after: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The kinds that differ, with both values."""
    return {kind: (before.get(kind), after.get(kind)) for kind in {**before, **after} if before.get(kind) != after.get(kind)}


def _sorted(rows: t.Iterable[list[t.Any]]) -> list[t.Any]:
    return sorted(rows, key=str)


def _tags(resource: Answer) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in resource.get("Tags", [])}


def _name(resource: Answer) -> str:
    return _tags(resource).get("Name", "")


def _routes(table: Answer) -> list[list[str]]:
    """Destinations, and the kinds of their targets."""
    found = []
    for each in table["Routes"]:
        target = each.get("NatGatewayId") or each.get("GatewayId") or ""
        found.append([each.get("DestinationCidrBlock", "prefix list"), target.partition("-")[0]])
    return sorted(found)
