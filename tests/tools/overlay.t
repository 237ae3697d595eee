#!/bin/sh
# A drop-in package: patchset overlay on Debian's own puma, built by
# dpkg-buildpackage with Debian's Ruby in a clean chroot, its own tests included,
# then installed there and run.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/root.sh"
patchset=$PWD/src/patchset
codename=$(. /etc/os-release; echo "$VERSION_CODENAME")
case $codename in
bookworm) series=5.6 ;;
*) skip "overlay on $codename's puma" "known for Debian 12 only"; finish; exit ;;
esac
clean_root dpkg-dev fakeroot || { finish; exit; }
echo "deb-src $uri $codename main" >>"$root/etc/apt/sources.list"
run in_root sh -c 'mkdir -m 755 /srv/theirs && cd /srv/theirs && apt-get -qq update && apt-get -qq source --download-only puma'
[ -n "$(ls "$root"/srv/theirs/*.dsc 2>/dev/null)" ] || { skip "overlay on Debian's puma" "$(printf '%s\n' "$out" | tail -n 1)"; finish; exit; }
mkdir "$root/srv/ours" && cd "$root/srv/ours" || exit 1
run "$patchset" -C "$top" overlay --old ../theirs/*.orig.tar.gz ../theirs/*.dsc "puma/$series"
is "$rc" 0 "patchset overlay on Debian's puma"; show
version=$(sed -n 's/^Version: //p' ./*.dsc)
run in_root sh -c 'cd /srv/ours && dpkg-source -x *.dsc tree && cd tree && apt-get -q -y --no-install-recommends build-dep .'
is "$rc" 0 "apt-get build-dep of $version"; show
build() { run in_root LC_ALL=C.UTF-8 sh -c 'cd /srv/ours/tree && dpkg-buildpackage -us -uc -b'; }
build
# Some of puma's tests wait for the clock.
[ "$rc" -eq 0 ] || { echo "# the first build failed, once more:"; show; build; }
is "$rc" 0 "dpkg-buildpackage, with puma's own tests"; show
# Those that run in a package build; 421 in 5.6.5-3+deb12u1.
is "$(printf '%s\n' "$out" | awk '/^[0-9]+ runs, .* 0 failures, 0 errors/ && $1 > 400' | wc -l)" 1 "more than 400 of them, none failed"
run in_root sh -c 'apt-get -q -y --no-install-recommends install /srv/ours/puma_*.deb ruby-minitest && dpkg-query -Wf "\${Version}" puma'
like "$out" "$version\$" "apt installs it"
run in_root LC_ALL=C.UTF-8 ruby -e 'require "puma"; puts Puma::Const::VERSION; load "/srv/tests/parser/test_env_keys.rb"'
is "$rc:$(printf '%s\n' "$out" | grep -c '^[0-9]* runs, .* 0 failures, 0 errors')" "0:1" "every proof of the patch holds with Debian's own Ruby"; show
finish
