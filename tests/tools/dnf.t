#!/bin/sh
# The rpms from the signed repository, installed by dnf into a clean chroot,
# run, verified, upgraded, erased.  The chroot is Debian's, so a package made
# here declares what is really there, for dnf to solve with.
# make check runs this in the build tree.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/root.sh"
: "${PATCHSET_RPM_STAMPS:?run this by make check}" "${PATCHSET_PUMA:?}" "${PATCHSET_RUBY:?}"
ruby=ruby$PATCHSET_RUBY
puma=$(sed -n 's/^Version: //p' "$top/upstream/puma-$PATCHSET_PUMA.pin")
clean_root gcc make curl pkg-config libgmp-dev libc6-dev libffi8 libyaml-0-2 libssl3 zlib1g || { finish; exit; }
# Folders that rpm distributions' own packages bring.
mkdir -p "$work/shim" "$root/etc/ld.so.conf.d" "$root/usr/lib64/pkgconfig" "$root/usr/share/licenses"
echo /usr/lib64 >"$root/etc/ld.so.conf.d/lib64.conf"

# Names of packages as rpm distributions call them, where their parts are here.
have() { if [ -e "$root$1" ]; then shift; printf 'Provides: %s\n' "$@"; fi; }
cat >"$work/shim/host.spec" <<EOF
Name: host
Version: 1
Release: 1
Summary: What the chroot has
License: MIT
BuildArch: noarch
$(have /usr/bin/gcc gcc; have /usr/bin/make make; have /usr/include gmp-devel; have /usr/bin/pkg-config /usr/bin/pkg-config
have /bin/sh /bin/sh /usr/bin/sh; have /usr/bin/env /usr/bin/env; have /etc/ld.so.cache 'rtld(GNU_HASH)')
$(find "$root/lib/" "$root/usr/lib/" -name '*.so*' -type f | sort -u | /usr/lib/rpm/rpmdeps --provides | sort -u | sed 's/^/Provides: /')
%description
What the chroot has, for dnf.
%files
EOF
run rpmbuild -bb --define "_topdir $work/shim" --define '__find_provides %{nil}' "$work/shim/host.spec"
is "$rc" 0 "a package declares what the chroot has"; show

cp -a dist/repo/rpm "$root/srv/repo"
mkdir -p "$work/dnf/repos" "$work/home"
sed -e "s,file://.*/dist/repo/rpm,file://$root/srv/repo,g" dist/repo/rpm/ruby-patchset.repo >"$work/dnf/repos/ruby-patchset.repo"
# Below it Debian's rpm keeps its database, in the chroot too.
export HOME="$work/home"
dnf_() {
	dnf -q -y --installroot "$root" --releasever 1 --setopt=reposdir="$work/dnf/repos" --setopt=cachedir="$work/dnf/cache" \
		--setopt=install_weak_deps=False "$@"
}
rpm_() { rpm --root "$root" "$@"; }
files() { (cd "$root" && find usr etc opt -type d | sort); }

run dnf_ --nogpgcheck install "$work"/shim/RPMS/noarch/host-*.rpm
is "$rc" 0 "dnf installs it"; show
before=$(files)
run dnf_ install "$ruby" "$ruby-rubygem-puma" "$ruby-devel"
is "$rc" 0 "dnf install $ruby $ruby-rubygem-puma $ruby-devel, from the signed repository"; show
like "$(rpm_ -q "$ruby")" "^$ruby-[0-9.]*-1.0.patchset[1-9]" "it is our package"
in_root ldconfig
is "$(for p in $(rpm_ -qa | grep "^$ruby"); do rpm_ -V --nodeps "$p"; done)" "" "rpm -V has nothing to say"
installed patched PKG_CONFIG_PATH=/usr/lib64/pkgconfig
is "$rc" 0 "what runs on the installed packages"
run dnf_ remove "$ruby*"
is "$rc" 0 "dnf remove"; show
is "$(files | grep -vxF "$before")" "" "no folder of ours stays"

# An earlier release of each, with the same files, upgraded to ours.
earlier() { # earlier RPM
	name=$(rpm -qp --qf '%{NAME}' "$1")
	mkdir "$work/tree"
	(cd "$work/tree" && rpm2cpio "$1" | cpio -idm --quiet)
	{
		rpm -qp --qf 'Name: %{NAME}\nVersion: %{VERSION}\nRelease: 0\nSummary: %{SUMMARY}\nLicense: %{LICENSE}\nAutoReqProv: no\n' "$1"
		[ "$(rpm -qp --qf '%{ARCH}' "$1")" != noarch ] || echo "BuildArch: noarch"
		rpm -qp --provides "$1" | grep -v "^$name" | sed 's/^/Provides: /'
		rpm -qp --requires "$1" | grep -v -e '^rpmlib' -e "^$ruby" | sed 's/^/Requires: /'
		printf '%%description\nOlder.\n%%install\ncp -a %s/. %%{buildroot}\n%%files\n' "$work/tree"
		rpm -qp --qf '[%{FILEMODES:perms} "%{FILENAMES}"\n]' "$1" | sed -e '/^d/s/^[^ ]*/%dir/' -e '/^%dir/!s/^[^ ]* //'
	} >"$work/earlier.spec"
	rpmbuild -bb --quiet --define "_topdir $work/earlier" --define '_build_id_links none' --define '__os_install_post %{nil}' \
		--define 'debug_package %{nil}' --define '_binary_payload w1.gzdio' "$work/earlier.spec" 2>&1 || return 1
	rm -rf "$work/tree"
}
# shellcheck disable=SC2086
packages=$(made $PATCHSET_RPM_STAMPS | grep -v -e -debug -e -doc- -e -devel-)
for rpm in $packages; do
	run earlier "$PWD/dist/rpm/$rpm"
	is "$rc" 0 "an earlier release of $rpm"; show
done
run dnf_ --nogpgcheck install "$work"/earlier/RPMS/*/*.rpm
is "$rc" 0 "dnf installs them"; show
in_root ldconfig
user_gem "/usr/local/lib/$ruby/gems"
run dnf_ upgrade
is "$(rpm_ -qa | grep -c "^$ruby.*-1.0.patchset[1-9]")" "$(echo "$packages" | wc -w)" "dnf upgrades all of them to ours"; show
run in_root "$ruby" -rmine -e 'puts MINE'
is "$out" 42 "which keeps the user's gem"
run dnf_ remove "$ruby*"
is "$(find "$root/usr/local" -name mine.rb | wc -l)" 1 "and it outlives the packages too"

# What somebody changed on the way is refused.
rm -rf "$work/dnf/cache"
echo '<!-- -->' >>"$root/srv/repo/repodata/repomd.xml"
run dnf_ install "$ruby"
is "$([ "$rc" -ne 0 ] && echo refused)" refused "dnf refuses a tampered index"
finish
