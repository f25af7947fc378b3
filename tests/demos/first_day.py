"""`make demo`: the main job of the collection, on real machines, in about three minutes. No AWS account is needed."""

from __future__ import annotations

import os
import time

from stage import LOGIN, begin, declare, end, first_login_node, lab, logins, playbook, say, shell

os.environ.setdefault("LAB_NAME", "demo")
DECLARE_VPN = """\
client_vpn_client_cidr: 172.20.0.0/20
client_vpn_poll_interval: 1 # the lab is quicker than AWS
"""
FILES = "$HOME/.mlfleet/hyperpod"
ON_LAPTOP = """\
lab laptop exec -- ssh -F none -i /root/.ssh/id_ed25519 -o BatchMode=yes -o StrictHostKeyChecking=yes \
-o UserKnownHostsFile=/root/known_hosts -o ConnectTimeout=5 alice@$NAME hostname 2>&1"""
HAND_OVER = f"""\
lab laptop exec -- sh -c 'cat > /root/known_hosts' < {FILES}/people/ml/known_hosts
lab laptop exec -- sh -c 'cat > /root/alice.ovpn' < {FILES}/vpn/ml/alice.ovpn
lab laptop exec -- openvpn --config /root/alice.ovpn --daemon --log /root/vpn.log
lab laptop exec -- timeout 20 sh -c 'until grep -q "Sequence Completed" /root/vpn.log; do sleep 0.2; done'"""


def main() -> None:
    say("A lab: machines with systemd and sshd, Slurm, a shared file system, and AWS's APIs simulated")
    begin()

    say("A dry run (check mode changes nothing)")
    playbook("login_access", "--check")

    say("Apply: balancer, shared host keys, accounts, readiness gates")
    playbook("login_access")

    say("alice logs in nine times through one name, with strict host key checking")
    logins(9)

    say("A node is replaced. On port 22 the new node presents its own host keys: SSH warns that the host key changed")
    name, _node = first_login_node()
    lab("replace-node", name)
    time.sleep(3)
    address = name.removeprefix("ip-").replace("-", ".")
    logins(1, login=LOGIN.replace("alice@$NAME", f"-o HostKeyAlias=$NAME alice@{address}"))

    say("Logins through the name are not affected: the login port stays closed on a node that is not verified")
    logins(12)

    say("The timer runs reconcile, which puts the node back into service")
    playbook("reconcile")
    logins(9)

    say("alice works from home and cannot log in: the balancer has private addresses")
    logins(1, login=ON_LAPTOP)

    say("Access from outside: certificates, a client VPN endpoint, and a profile for each person")
    declare(DECLARE_VPN)
    playbook("client_vpn", show=r"A month costs \S+ USD")
    playbook("vpn_profiles")

    say("alice's laptop connects with the unchanged profile, and she logs in as before")
    shell(HAND_OVER)
    logins(1, login=ON_LAPTOP)

    end()


if __name__ == "__main__":
    main()
