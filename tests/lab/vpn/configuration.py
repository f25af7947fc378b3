# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of an endpoint for OpenVPN and nftables, as pure functions of a view."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from lab.vpn.view import EndpointView

INSIDE, OUTSIDE, TUNNEL = "eth0", "eth1", "tun0"
LARGEST_POOL = 16  # OpenVPN assigns addresses of a /16 at most, whereas AWS accepts a /12
SOCKET = "management.sock"

# Several devices may use one certificate. The reader of the management socket accepts clients with a valid one.
CONFIGURATION = """\
mode server
tls-server
dev {tunnel}
dev-type tun
disable-dco
topology subnet
proto {protocol}
local {address}
port {port}
server {network} {netmask}
dh none
ca ca.pem
cert server.pem
key server.key
data-ciphers AES-256-GCM
duplicate-cn
ping 2
ping-restart 8
push "ping 2"
push "ping-restart 8"
verb 3
management {socket} unix
management-hold
management-client-auth
auth-user-pass-optional
"""

RULES = """\
table ip vpn
delete table ip vpn
table ip vpn {{
  chain forward {{
    type filter hook forward priority filter; policy drop;
    iifname "{inside}" oifname "{tunnel}" ct state established,related accept
{accept}  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat; policy accept;
    iifname "{tunnel}" oifname "{inside}" snat to {source}
  }}
}}
"""


def server_configuration(view: EndpointView, address: str) -> str:
    """openvpn's configuration file; ``address`` is the one for clients."""
    whole = ipaddress.IPv4Network(view.client_cidr)
    pool = whole if whole.prefixlen >= LARGEST_POOL else next(whole.subnets(new_prefix=LARGEST_POOL))
    text = CONFIGURATION.format(
        tunnel=TUNNEL,
        protocol="tcp-server" if view.transport == "tcp" else "udp",
        address=address,
        port=view.port,
        network=pool.network_address,
        netmask=pool.netmask,
        socket=SOCKET,
    )
    if view.crl:
        text += "crl-verify crl.pem\n"
    return text + "".join(f'push "{option}"\n' for option in pushed(view))


def pushed(view: EndpointView) -> list[str]:
    """Options that the server sends to its clients."""
    if view.split_tunnel:
        networks = sorted({ipaddress.ip_network(route) for route in view.routes})
        options = [f"route {each.network_address} {each.netmask}" for each in networks]
    else:
        options = ["redirect-gateway def1"]
    if view.transport == "udp":
        options.append("explicit-exit-notify 1")  # clients announce their exit
    return options + [f"dhcp-option DNS {server}" for server in view.dns_servers]


def server_files(view: EndpointView, address: str) -> dict[str, str]:
    """All files of the server by name. A change of any of them requires a new process."""
    files = {
        "server.conf": server_configuration(view, address),
        "ca.pem": view.client_ca or "",
        "server.pem": _joined(view.server_certificate, view.server_chain),
        "server.key": view.server_key,
    }
    return files | ({"crl.pem": view.crl} if view.crl else {})


def packet_filter(view: EndpointView) -> str:
    """Allow traffic with a route and a rule; its source becomes the address of an interface."""
    reachable, allowed = collapsed(view.routes), collapsed(view.allowed)
    accept = ""
    if reachable and allowed:
        where = f"ip daddr {{ {', '.join(reachable)} }} ip daddr {{ {', '.join(allowed)} }}"
        accept = f'    iifname "{TUNNEL}" oifname "{INSIDE}" {where} accept\n'
    return RULES.format(inside=INSIDE, tunnel=TUNNEL, accept=accept, source=_source(view.interfaces))


def _source(interfaces: tuple[tuple[str, int], ...]) -> str:
    """The source address, or one of several by client, as AWS distributes clients over the associated subnets."""
    addresses = [address for address, _prefix in interfaces]
    if len(addresses) == 1:
        return addresses[0]
    choices = ", ".join(f"{number} : {address}" for number, address in enumerate(addresses))
    return f"jhash ip saddr mod {len(addresses)} map {{ {choices} }}"


def collapsed(networks: Iterable[str]) -> list[str]:
    """Networks without those inside another one, because nftables refuses overlapping intervals."""
    parsed = (ipaddress.IPv4Network(network, strict=False) for network in networks)
    return [str(network) for network in ipaddress.collapse_addresses(parsed)]


def _joined(*texts: str) -> str:
    return "".join(text.strip() + "\n" for text in texts if text.strip())
