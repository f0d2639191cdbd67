#!/bin/sh
# debian.sh [--suite NAME] [--fresh] [--build-only]: builds the Debian packages and tests them, each in a clean chroot.
#
#   scripts/debian.sh                the packages in build-debian/packages, of the sources as they lie here
#   scripts/debian.sh --build-only   builds them and runs lintian, and installs them nowhere
#   scripts/debian.sh --fresh        makes the chroots anew; else those of an earlier run serve again
#   scripts/debian.sh --suite NAME   bookworm (default), or another release of Debian
#
# 1. A chroot with nothing but what debian/control asks for builds a copy of the sources.
# 2. lintian there has to be content; debian/*.lintian-overrides say which tags stay, and why.
# 3. A second chroot installs the packages, runs debian/tests/smoke, and removes them again.
#
# Only as root, and with mmdebstrap. DEBIAN_MIRROR names another mirror than deb.debian.org, JOBS the compilers at once.
# Exit: 0 all well, 1 a failure, 2 wrong usage, 77 not possible here.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
suite=bookworm fresh= install=1
while [ $# -gt 0 ]; do
    case $1 in
    --suite)
        [ $# -gt 1 ] || { echo "debian: --suite wants a name; see --help" >&2; exit 2; }
        suite=$2
        shift
        ;;
    --fresh) fresh=1 ;;
    --build-only) install= ;;
    --help) sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0 ;;
    *) echo "debian: there is no option $1; see --help" >&2; exit 2 ;;
    esac
    shift
done
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
jobs=${JOBS:-$(nproc)}
work=$root/build-debian
say() { printf '\n== %s ==\n' "$*"; }
fail() { echo "debian: FAILED: $*" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || { echo "debian: chroots are for root" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "debian: no mmdebstrap here: apt-get install mmdebstrap" >&2; exit 77; }
mkdir -p "$work"
[ -z "$fresh" ] || rm -rf "$work/$suite"-*.tar

# make_chroot NAME VARIANT PACKAGES: $work/NAME, fresh, from a tar file that is made once.
make_chroot() {
    tar=$work/$suite-$1.tar
    if [ ! -s "$tar" ]; then
        mmdebstrap --quiet --format=tar --variant="$2" --include="$3" --skip=cleanup/apt/lists \
            "$suite" "$tar.new" "$mirror" || fail "no chroot of $suite"
        mv "$tar.new" "$tar"
    fi
    rm -rf --one-file-system "${work:?}/$1"
    mkdir "$work/$1"
    tar -xf "$tar" -C "$work/$1" --numeric-owner
    cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
}

# inside NAME COMMAND...: in that chroot, with /proc, /dev and /sys mounted, which end with the command.
inside() {
    chroot_of=$work/$1
    shift
    unshare --mount --fork sh -c 'root=$1; shift
        mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --rbind /sys "$root/sys" # PoCL asks there for cores and memory
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS" "$@"' sh "$chroot_of" "$@"
}
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:+$DEB_BUILD_OPTIONS }parallel=$jobs"

say "A chroot of $suite to build in"
make_chroot build buildd fakeroot,lintian
version=$(sed -n '1s/.*(\([^-]*\)-.*/\1/p' "$root/debian/changelog")
source=$work/build/build/clsolve-$version
mkdir -p "$source"
(cd "$root" && git ls-files --cached --others --exclude-standard | while read -r file; do
    [ ! -e "$file" ] || printf '%s\n' "$file"
done | tar -cf - -T -) | tar -xf - -C "$source"
inside build sh -c "cd /build/clsolve-$version && apt-get -q -y --no-install-recommends build-dep . " >"$work/build-dep.log" 2>&1 ||
    { tail -20 "$work/build-dep.log"; fail "build dependencies"; }

say "Building $version"
inside build sh -c "cd /build/clsolve-$version && dpkg-buildpackage -us -uc -b" >"$work/build.log" 2>&1 ||
    { tail -40 "$work/build.log"; fail "dpkg-buildpackage; $work/build.log has all of it"; }
if grep -q 'dpkg-gensymbols: warning' "$work/build.log"; then
    grep -A 40 'dpkg-gensymbols: warning' "$work/build.log" | head -60
    fail "debian/*.symbols are not the libraries' symbols: run scripts/abi.sh --store"
fi
rm -rf "$work/packages"
mkdir "$work/packages"
cp "$work"/build/build/*.deb "$work"/build/build/*.changes "$work"/build/build/*.buildinfo "$work/packages/"
ls -l "$work/packages"

say "lintian"
inside build sh -c 'lintian --allow-root --show-overrides --fail-on none /build/*.changes' # for the reader
inside build sh -c 'lintian --allow-root --display-info --pedantic --fail-on error,warning,info /build/*.changes' || fail "lintian"

[ -n "$install" ] || exit 0
say "A chroot of $suite to install in"
make_chroot install apt mawk
mkdir -p "$work/install/packages"
cp "$work"/packages/*.deb "$work/install/packages/"

# The packages alone, then what the test needs beside them.
inside install sh -c 'apt-get -q -y --no-install-recommends install /packages/*.deb' >"$work/install.log" 2>&1 ||
    { tail -20 "$work/install.log"; fail "install"; }
inside install clsolve --version
inside install sh -c 'clsolve generate random --n 100 -o /tmp/A.mtx && clsolve solve /tmp/A.mtx --device host' ||
    fail "the command without any device"
needed=$(sed -n 's/^Depends: @, //p' "$root/debian/tests/control" | sed 's/ *|[^,]*//g; s/,//g')
inside install sh -c "rm -f /etc/dpkg/dpkg.cfg.d/*; apt-get -q -y --no-install-recommends install $needed" >>"$work/install.log" 2>&1 ||
    { tail -20 "$work/install.log"; fail "what debian/tests/control asks for"; }
cp "$root/debian/tests/smoke" "$work/install/packages/smoke"
inside install sh /packages/smoke || fail "debian/tests/smoke"

say "Removing them"
inside install sh -c 'apt-get -q -y purge $(cd /packages; for file in *.deb; do echo "${file%%_*}"; done)' >"$work/purge.log" 2>&1 ||
    { tail -20 "$work/purge.log"; fail "purge"; }
left=$(inside install find /etc /usr /var/lib /opt -name '*clsolve*' ! -path '/var/lib/apt/*')
[ -z "$left" ] || fail "left behind: $left"
if inside install sh -c 'update-alternatives --get-selections' | grep clsolve; then fail "the alternative stays"; fi
rm -rf --one-file-system "${work:?}/install" "${work:?}/build"
say "All well: $work/packages"
