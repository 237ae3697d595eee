#!/bin/sh
# The rpms from the signed repository, installed by dnf into a clean chroot,
# run, verified, upgraded, erased.  The chroot is Debian's, so a package made
# here declares what is really there, for dnf to solve with.
# make check runs this in the build tree.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/root.sh"
: "${PATCHSET_STOCK_RPM_STAMPS:?run this by make check}" "${PATCHSET_PUMA:?}" "${PATCHSET_RUBY:?}"
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
mkdir -p "$work/dnf/repos" "$work/home" "$root/srv/stock"
sed -e "s,file://.*/dist/repo/rpm,file://$root/srv/repo,g" dist/repo/rpm/ruby-patchset.repo >"$work/dnf/repos/ruby-patchset.repo"
# shellcheck disable=SC2086
for rpm in $(made $PATCHSET_STOCK_RPM_STAMPS); do cp "dist/rpm/$rpm" "$root/srv/stock/"; done
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

# From stock, which is the revision before ours, to ours.
run dnf_ --nogpgcheck install "$root/srv/stock/$ruby"-[0-9]*.rpm "$root/srv/stock/$ruby"-[ld]*.rpm "$root/srv/stock/$ruby"-rubygem-*.rpm
is "$rc" 0 "the stock packages install"; show
in_root ldconfig
installed stock
is "$rc" 0 "every proof of the patches fails on stock"
user_gem "/usr/local/lib/$ruby/gems"
run dnf_ upgrade
like "$(rpm_ -qa | grep -c "^$ruby.*patchset[1-9]")" "[5-9]" "dnf upgrades stock to patched"; show
run in_root "$ruby" -rmine -e 'puts MINE'
is "$out" 42 "and keeps the user's gem"
run dnf_ remove "$ruby*"
is "$(find "$root/usr/local" -name mine.rb | wc -l)" 1 "which outlives the packages too"

# What somebody changed on the way is refused.
rm -rf "$work/dnf/cache"
echo '<!-- -->' >>"$root/srv/repo/repodata/repomd.xml"
run dnf_ install "$ruby"
is "$([ "$rc" -ne 0 ] && echo refused)" refused "dnf refuses a tampered index"
finish
