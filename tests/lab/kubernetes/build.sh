#!/bin/bash -eu
# build.sh PROGRAM...: in a tree of Debian with Go, from the source package in /source to /bin-made/PROGRAM.
export LC_ALL=C HOME=/home GOCACHE=/go-cache GOGC=400 GOPROXY=off GO111MODULE=off CGO_ENABLED=0 PATH=/usr/lib/go-1.19/bin:$PATH
echo "== unpack"
cd /source
dpkg-source -x kubernetes_*.dsc tree
version=$(dpkg-parsechangelog --file tree/debian/changelog --show-field Version | sed 's/[+-].*//')
IFS=. read -r major minor _patch <<<"$version"
# What is vendored, 1.0.1, crashes at the first custom resource when it was built with Go 1.18 or newer. Debian has a newer one.
reflect2=vendor/github.com/modern-go/reflect2
rm tree/$reflect2/*.go tree/$reflect2/*.s
cp /usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} tree/$reflect2/
rm -f tree/$reflect2/*_test.go
printf 'KUBE_GIT_%s\n' COMMIT=debian TREE_STATE=archive VERSION="v$version" MAJOR="$major" MINOR="$minor" >/version
export KUBE_GIT_VERSION_FILE=/version GOPATH=/source/tree/.go
mkdir -p tree/.go/src/k8s.io
ln -s ../../.. tree/.go/src/k8s.io/kubernetes
cd tree/.go/src/k8s.io/kubernetes
echo "== generate what the source lacks: its OpenAPI document"
make --no-print-directory -f Makefile.generated_files gen_openapi CALLED_FROM_MAIN_MAKEFILE=1 OUT_DIR=_output BIN_DIR=_output/bin \
    PRJ_SRC_PATH=k8s.io/kubernetes GENERATED_FILE_PREFIX=zz_generated. KUBE_VERBOSE=0
flags="-s -w"
for package in k8s.io/kubernetes/vendor/k8s.io/component-base/version k8s.io/kubernetes/vendor/k8s.io/client-go/pkg/version; do
    flags+=" -X $package.gitVersion=v$version -X $package.gitMajor=$major -X $package.gitMinor=$minor"
    flags+=" -X $package.gitCommit=debian -X $package.gitTreeState=archive"
done
mkdir /bin-made
for program in "$@"; do
    echo "== $program"
    go build -v -tags providerless -ldflags "$flags" -o "/bin-made/$program" "./cmd/$program"
done
