# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role client_vpn."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, refused

TEXTS: Texts = {
    "vpn-stays": Text("vpn-stays", "The Client VPN of {vpc} stays because other clusters use it: {clusters}.", "vpc"),
    "vpn-group-stays": Text("vpn-group-stays", "Security group {group} stays because rules of {others} refer to it.", "group"),
    "vpn-window": refused(
        "client_vpn_window",
        "{parts}",
        "windows in UTC such as Sun 02:00-04:00 or daily 02:00-04:00, separated by commas",
    ),
    "vpn-log-days": refused("client_vpn_log_retention_days", "{days}", "{allowed}"),
    "vpn-renew-before": refused(
        "client_vpn_renew_before",
        "{days}",
        "fewer days than client_vpn_certificate_days ({certificate_days}) and client_vpn_crl_days ({crl_days})",
    ),
    "vpn-revoke-unknown": refused(
        "{option}", "{unknown}", "names of declared users. For users who left, run the playbook offboard"
    ),
    "vpn-endpoint-refused": Text("option-refused", "{reason}"),
    "vpn-subnets-missing": refused("client_vpn_subnets", "{missing}", "subnets that exist in this account and Region"),
    "vpn-subnets-of-several-vpcs": refused("client_vpn_subnets", "{subnets}", "subnets of the login nodes' VPC"),
    "vpn-range-taken": refused("client_vpn_client_cidr", "{cidr}", "ranges that do not overlap {taken} of {vpc}"),
    "vpn-without-vpc": Text(
        "cluster-without-vpc",
        "Cluster {cluster} can't have a Client VPN: it was created without VpcConfig, so its nodes have no addresses in your VPC.",
    ),
    "vpn-without-login-nodes": Text(
        "cluster-without-login-nodes",
        "Cluster {cluster} can't have a Client VPN: none of its instance groups has node type login. If the cluster is older than "
        "SlurmConfig, set node_types in the inventory source.",
    ),
    "no-vpn": Text("vpn-missing", "{vpc} has no Client VPN yet; run the playbook client_vpn first.", "vpc"),
    "vpn-people-unknown": refused("vpn_people", "{unknown}", "users with a certificate: {known}"),
    "profiles-written": Text(
        "profiles-written",
        "Profiles are in {folder}. Anyone with a profile has its user's access, so send it over a secure channel, then delete it.",
    ),
    "no-certificate-of-user": Text(
        "nothing-to-revoke",
        "Client VPN of {vpc}: no valid certificate of {name} is known, so none was revoked",
        "name",
    ),
    "nothing-to-revoke": Text(
        "nothing-to-revoke",
        "client_vpn_revoke: no valid certificate of {users} is known for the Client VPN of {vpc}, so none was revoked.",
    ),
}
