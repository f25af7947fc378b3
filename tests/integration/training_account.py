"""Remove what the role ``training_cluster`` and its tests create in an account: EKS, EC2, FSx and IAM."""

from __future__ import annotations

import contextlib
import typing as t

from botocore.exceptions import ClientError

PATH = "/hyperpod-eks/"
"""The path of all roles of training clusters."""
LAB = "lab"
"""Name of the VPC of HyperPod clusters, which stays."""
BUSY = ("CREATING", "UPDATING", "DELETING")
Eventually = t.Callable[..., t.Any]


class Account:
    """:param aws: returns a client of a service."""

    def __init__(self, aws: t.Callable[[str], t.Any], eventually: Eventually) -> None:
        self.eks, self.ec2, self.fsx, self.iam = (aws(service) for service in ("eks", "ec2", "fsx", "iam"))
        self.eventually = eventually

    def empty(self) -> None:
        """Remove everything; resources that others need are removed last."""
        self.clusters()
        self._file_systems()
        self._templates()
        for vpc in self._vpcs():
            self._vpc(vpc)
        for each in self.ec2.describe_internet_gateways()["InternetGateways"]:
            if not each["Attachments"]:  # a run that ended between two calls has left it
                self.ec2.delete_internet_gateway(InternetGatewayId=each["InternetGatewayId"])
        for each in self.ec2.describe_addresses()["Addresses"]:
            self.ec2.release_address(AllocationId=each["AllocationId"])
        self._roles()

    def clusters(self) -> None:
        """Remove all EKS clusters with their node groups."""
        for cluster in self.eks.list_clusters()["clusters"]:
            self.eventually(lambda cluster=cluster: self._without_groups(cluster))
            with contextlib.suppress(ClientError):  # not protected
                self.eks.update_cluster_config(name=cluster, deletionProtection=False)
            self.eventually(lambda cluster=cluster: self._gone(self.eks.delete_cluster, name=cluster))
        self.eventually(lambda: _assert(not self.eks.list_clusters()["clusters"]))

    def _without_groups(self, cluster: str) -> None:
        groups = self.eks.list_nodegroups(clusterName=cluster)["nodegroups"]
        for group in groups:
            which = {"clusterName": cluster, "nodegroupName": group}
            if self.eks.describe_nodegroup(**which)["nodegroup"]["status"] not in BUSY:
                self.eks.delete_nodegroup(**which)
        assert not groups

    def _file_systems(self) -> None:
        for each in self.fsx.describe_file_systems()["FileSystems"]:
            self._gone(self.fsx.delete_file_system, FileSystemId=each["FileSystemId"])
        self.eventually(lambda: _assert(not self.fsx.describe_file_systems()["FileSystems"]))

    def _templates(self) -> None:
        for each in self.ec2.describe_launch_templates()["LaunchTemplates"]:
            self._gone(self.ec2.delete_launch_template, LaunchTemplateId=each["LaunchTemplateId"])
        for each in self.ec2.describe_placement_groups()["PlacementGroups"]:
            self.ec2.delete_placement_group(GroupName=each["GroupName"])

    def _vpcs(self) -> list[str]:
        """All but the default VPC and that of HyperPod clusters."""
        found = self.ec2.describe_vpcs()["Vpcs"]
        names = {each["VpcId"]: {tag["Key"]: tag["Value"] for tag in each.get("Tags", [])}.get("Name") for each in found}
        return [each["VpcId"] for each in found if not each["IsDefault"] and names[each["VpcId"]] != LAB]

    def _vpc(self, vpc: str) -> None:
        inside = [{"Name": "vpc-id", "Values": [vpc]}]
        self._instances(inside)
        self._gateways(vpc, inside)
        for each in self.ec2.describe_network_interfaces(Filters=inside)["NetworkInterfaces"]:
            with contextlib.suppress(ClientError):  # a service removes its own
                self.ec2.delete_network_interface(NetworkInterfaceId=each["NetworkInterfaceId"])
        self._route_tables(inside)
        for each in self.ec2.describe_subnets(Filters=inside)["Subnets"]:
            self.eventually(lambda each=each: self._gone(self.ec2.delete_subnet, SubnetId=each["SubnetId"]))
        self._security_groups(inside)
        self.ec2.delete_vpc(VpcId=vpc)

    def _instances(self, inside: list[dict[str, t.Any]]) -> None:
        """Instances that belong to no node group."""
        running = [*inside, {"Name": "instance-state-name", "Values": ["pending", "running", "stopped"]}]
        found = self.ec2.describe_instances(Filters=running)["Reservations"]
        ids = [each["InstanceId"] for reservation in found for each in reservation["Instances"]]
        if ids:
            self.ec2.terminate_instances(InstanceIds=ids)

    def _gateways(self, vpc: str, inside: list[dict[str, t.Any]]) -> None:
        """Gateways and endpoints."""
        for each in self.ec2.describe_nat_gateways(Filters=inside)["NatGateways"]:
            if each["State"] not in ("deleting", "deleted"):
                self.ec2.delete_nat_gateway(NatGatewayId=each["NatGatewayId"])
        for each in self.ec2.describe_vpc_endpoints(Filters=inside)["VpcEndpoints"]:
            if each["State"] not in ("deleting", "deleted"):
                self.ec2.delete_vpc_endpoints(VpcEndpointIds=[each["VpcEndpointId"]])
        attached = [{"Name": "attachment.vpc-id", "Values": [vpc]}]
        for each in self.ec2.describe_internet_gateways(Filters=attached)["InternetGateways"]:
            self.ec2.detach_internet_gateway(InternetGatewayId=each["InternetGatewayId"], VpcId=vpc)
            self.ec2.delete_internet_gateway(InternetGatewayId=each["InternetGatewayId"])

    def _route_tables(self, inside: list[dict[str, t.Any]]) -> None:
        for table in self.ec2.describe_route_tables(Filters=inside)["RouteTables"]:
            if any(each.get("Main") for each in table["Associations"]):
                continue
            for each in table["Associations"]:
                self.ec2.disassociate_route_table(AssociationId=each["RouteTableAssociationId"])
            self.ec2.delete_route_table(RouteTableId=table["RouteTableId"])

    def _security_groups(self, inside: list[dict[str, t.Any]]) -> None:
        """Groups may refer to each other, so all their rules are removed first."""
        groups = [each for each in self.ec2.describe_security_groups(Filters=inside)["SecurityGroups"] if each["GroupName"] != "default"]
        for each in groups:
            if each["IpPermissions"]:
                self.ec2.revoke_security_group_ingress(GroupId=each["GroupId"], IpPermissions=each["IpPermissions"])
            if each["IpPermissionsEgress"]:
                self.ec2.revoke_security_group_egress(GroupId=each["GroupId"], IpPermissions=each["IpPermissionsEgress"])
        for each in groups:
            self.eventually(lambda each=each: self._gone(self.ec2.delete_security_group, GroupId=each["GroupId"]))

    def _roles(self) -> None:
        for role in self.iam.list_roles(PathPrefix=PATH)["Roles"]:
            name = {"RoleName": role["RoleName"]}
            for each in self.iam.list_attached_role_policies(**name)["AttachedPolicies"]:
                self.iam.detach_role_policy(**name, PolicyArn=each["PolicyArn"])
            for each in self.iam.list_role_policies(**name)["PolicyNames"]:
                self.iam.delete_role_policy(**name, PolicyName=each)
            for each in self.iam.list_instance_profiles_for_role(**name)["InstanceProfiles"]:
                self.iam.remove_role_from_instance_profile(**name, InstanceProfileName=each["InstanceProfileName"])
                self.iam.delete_instance_profile(InstanceProfileName=each["InstanceProfileName"])
            self.iam.delete_role(**name)

    @staticmethod
    def _gone(remove: t.Callable[..., t.Any], **which: str) -> None:
        """Remove something that may be gone, or may be on its way out."""
        try:
            remove(**which)
        except ClientError as error:
            if not any(part in error.response["Error"]["Code"] for part in ("NotFound", ".Unknown")):
                raise


def _assert(condition: bool) -> None:
    assert condition
