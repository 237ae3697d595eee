# shellcheck shell=sh disable=SC2034,SC2154 # shared with the tests that source it
# A clean chroot in $root for packages to be installed in; sourced after tap.sh.
root=$work/root
# clean_root PACKAGE...: makes it, with these of Debian's.  A chroot that cannot
# be made is a skip where the machine allows none, else a failure.
clean_root() {
	if ! chroot / true 2>/dev/null; then
		skip "packages in a clean chroot" "this machine allows no chroot"
		return 1
	fi
	codename=$(. /etc/os-release; echo "$VERSION_CODENAME")
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
	trap 'umount -l "$root/proc" "$root/dev/pts" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
	run mmdebstrap --quiet --mode=root --variant=minbase --include="ca-certificates netbase $*" "$codename" "$root" "deb $uri $codename main"
	is "$rc" 0 "mmdebstrap makes a clean chroot"; show
	[ "$rc" -eq 0 ] || return 1
	chmod 755 "$root"
	for f in /etc/resolv.conf /etc/gemrc; do [ ! -e $f ] || cp -L $f "$root$f"; done
	# Whom this machine trusts, a gem server behind its proxy say, the chroot trusts.
	cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null &&
		chroot "$root" update-ca-certificates >/dev/null 2>&1
	grep -q localhost "$root/etc/hosts" 2>/dev/null || echo "127.0.0.1 localhost" >>"$root/etc/hosts"
	# A proc of its own; never a bind mount of something of this machine, which a
	# removal of the chroot could reach.
	mount -t proc proc "$root/proc" 2>/dev/null
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" 2>/dev/null
	mkdir -p "$root/srv"
	cp -R "$top/tests" "$root/srv/tests"
}
in_root() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# add_repository: the built packages', for apt there.
add_repository() {
	cp -a dist/repo/apt "$root/srv/repo"
	sed 's,^URIs:.*,URIs: file:/srv/repo,' dist/repo/apt/ruby-patchset.sources >"$root/etc/apt/sources.list.d/ruby-patchset.sources"
	run in_root apt-get -q update
	is "$rc" 0 "apt accepts the signed repository"; show
}
# installed VARIANT [VARIABLE=VALUE...]: the tests of tests/installed there, with
# their failures and skips as comments.
installed() {
	variant=$1; shift
	rc=0
	in_root env "$@" sh /srv/tests/installed/ruby "$PATCHSET_RUBY" "$variant" >"$work/$variant.tap" 2>&1 || rc=1
	in_root env "$@" sh /srv/tests/installed/puma "$PATCHSET_RUBY" "$puma" "$variant" >>"$work/$variant.tap" 2>&1 || rc=1
	told "$work/$variant.tap"
}
told() { sed -n -e '/^not ok/s/^/# /p' -e '/^#/s/^/#   /p' -e '/# SKIP/s/^/# /p' "$1"; }
# user_gem FOLDER: root installs a gem, which must go there.
user_gem() {
	# shellcheck disable=SC2016
	run in_root sh -ec 'mkdir -p /root/mine/lib && cd /root/mine && echo "MINE = 42" >lib/mine.rb
echo "Gem::Specification.new { |s| s.name = %q(mine); s.version = %q(1); s.summary = s.author = %q(me); s.files = [%q(lib/mine.rb)] }" >mine.gemspec
gem'"$PATCHSET_RUBY"' build -q mine.gemspec && gem'"$PATCHSET_RUBY"' install -q --local --no-document mine-1.gem
cd / && ruby'"$PATCHSET_RUBY"' -rmine -e "puts MINE; puts Gem.loaded_specs.fetch(%q(mine)).base_dir"'
	like "$out" "^$1\$" "root's gems go to $1"; show
}
