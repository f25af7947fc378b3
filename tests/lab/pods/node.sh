#!/bin/bash -eu
# node.sh KUBELET FLAG...: the first process of a node that runs its Pods. It reaps orphans.
trap exit TERM
ln -s null /dev/kmsg # kubelet only opens it
containerd >/var/log/containerd.log 2>&1 &
until ctr version >/dev/null 2>&1; do sleep 0.1; done
ctr --namespace k8s.io images import /etc/lab/images.tar >/var/log/images.log 2>&1
"$@" >/var/log/kubelet.log 2>&1 &
wait
