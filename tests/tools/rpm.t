#!/bin/sh
# The built rpms as files, their specs for other distributions, and what bad
# input does to a build.  make check runs this in the build tree;
# PATCHSET_RPM_STAMPS names the stamps of Ruby, nio4r and Puma.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
: "${PATCHSET_RPM_STAMPS:?run this by make check}" "${PATCHSET_PUMA:?}" "${PATCHSET_RUBY:?}"
tree=$PWD
ruby=ruby$PATCHSET_RUBY
version=$(sed -n 's/^Version: //p' "$top/upstream/ruby-$PATCHSET_RUBY.pin")
# shellcheck disable=SC2086
rpms=$(made $PATCHSET_RPM_STAMPS)
q() { rpm -qp --dbpath "$work/db" "$@" 2>/dev/null; }
for p in "$ruby" "$ruby-libs" "$ruby-devel" "$ruby-doc" "$ruby-rubygem-nio4r" "$ruby-rubygem-puma" \
	"$ruby-debuginfo" "$ruby-debugsource" "$ruby-rubygem-puma-debuginfo" "$ruby-rubygem-puma-debugsource"; do
	is "$(printf '%s\n' "$rpms" | grep -c "^$p-[0-9]")" 1 "there is a package $p"
done
# shellcheck disable=SC2086
sbom_of dist/rpm $rpms
mkdir "$work/root"
for rpm in $rpms; do
	rpm2cpio "dist/rpm/$rpm" | (cd "$work/root" && cpio -idm --quiet)
	q --scripts --triggers "dist/rpm/$rpm"
done >"$work/scripts"
is "$(cat "$work/scripts")" "" "no package has a scriptlet"
file() { echo "dist/rpm/$(printf '%s\n' "$rpms" | grep "^$1-[0-9]")"; }
provides=$(q --provides "$(file "$ruby-libs")")
like "$provides" "^ruby(release) = $version\$" "libs provides ruby(release)"
like "$provides" "^ruby(abi) = $PATCHSET_RUBY.0\$" "and ruby(abi)"
# Upstream's list of the gems that come with Ruby.
list=source/ruby-$version/gems/bundled_gems
is "$(sed -n 's/^\([a-z][^ ]*\) *\([0-9][^ ]*\) .*/bundled(rubygem-\1) = \2/p' "$list" | sort | while read -r p; do
	printf '%s\n' "$provides" | grep -qxF "$p" || echo "$p"; done)" "" "and bundled(rubygem-NAME) of each gem in gems/bundled_gems"
is "$([ "$(grep -c '^[a-z]' "$list")" -gt 20 ] && echo many)" many "which are many"
json=$(sed -n "s/.*VERSION = '\([0-9.]*\)'.*/\1/p" "source/ruby-$version/ext/json/lib/json/version.rb")
like "$provides" "^rubygem(json) = $json\$" "and rubygem(NAME) of a default gem"
like "$(q --provides "$(file "$ruby-rubygem-puma")")" "^rubygem(puma) = $(sed -n 's/^Version: //p' "$top/upstream/puma-$PATCHSET_PUMA.pin")\$" "Puma's provides rubygem(puma)"
is "$(q --conflicts "$(file "$ruby-libs")")" "libruby$(echo "$PATCHSET_RUBY" | tr . _)-$(echo "$PATCHSET_RUBY" | tr . _)" "openSUSE's library package is refused"
is "$(for rpm in $rpms; do q --requires "dist/rpm/$rpm"; done | grep -e '^/usr/bin/ruby$' -e '^ruby$' -e '^ruby(')" "" "nothing wants another Ruby"

cd "$work/root" || exit 1
is "$(find . -type f ! -path '*/debug/*' ! -path '*/src/debug/*' -exec grep -lE '/var/tmp/rpm\.|BUILDROOT|prefix-map=' {} + | head -n 5)" "" "no file names the build folder"
elf_files "$PATCHSET_RUBY"
is "$(find usr/lib/.build-id 2>/dev/null | wc -l)" 0 "no link by build ID that another release would have too"
is "$(find usr/bin usr/share/man -type f ! -name "*$PATCHSET_RUBY" ! -name "*$PATCHSET_RUBY.1*")" "" "each program and man page has the release in its name"
like "$(find usr/lib/debug -name 'libruby*.debug')" "libruby" "libruby's debug symbols are there"
like "$(find usr/src/debug -name 'string.c')" "string.c" "and the sources for them"
like "$(find usr/share/ri -name '*.ri')" "String/slice-i.ri" "ri's data are in the doc package"
cd "$tree" || exit 1

# Source packages one by one: rpmlint takes the specs of several for one package's.
for lint in "$(printf 'dist/rpm/%s ' $rpms)" dist/rpm/"$ruby"-[0-9]*.patchset[1-9]*.src.rpm dist/rpm/"$ruby"-rubygem-*.patchset[1-9]*.src.rpm; do
	# shellcheck disable=SC2086
	run rpmlint -c "$top/rpm/rpmlint.toml" $lint
	is "$(printf '%s\n' "$out" | sed -n 's/.*checked; \(.* warnings\).*/\1/p')" "0 errors, 0 warnings" \
		"rpmlint of $(echo "$lint" | wc -w) packages: each finding is filtered with a reason"
	printf '%s\n' "$out" | sed -n 's/^[^ ]*: [EW]: .*/# &/p' | head -n 20
done

# What the checks of the build root refuse, in a package of one program.
mkdir -p "$work/bad"
echo 'int main(void) { return 0; }' >"$work/bad/a.c"
refused() { # refused INSTALL-LINE NAME REGEXP
	{ cat "$top/rpm/common.inc"; printf 'Name: bad\nVersion: 1\nRelease: 1\nSummary: Bad\nLicense: MIT\n%%description\nBad.\n%%prep\n%%setup -q -c -T\n%%own_attrs\n%%install\nmkdir -p %%{buildroot}/usr/bin\n%s\n%%files\n/usr/bin/a\n' "$1"; } >"$work/bad/bad.spec"
	run rpmbuild -bb --define "_topdir $work/bad/top" --define "_enable_debug_packages 0" "$work/bad/bad.spec"
	like "$rc:$out" "$3" "$2"
}
compile="gcc -o %{buildroot}/usr/bin/a $work/bad/a.c"
refused "$compile" "a program as it should be is packed" "^0:"
refused "$compile -Wl,-rpath,/opt/lib" "an rpath stops the build" "^1:"
like "$out" "RUNPATH.*/opt/lib" "and is shown"
refused "$compile; echo %{buildroot} >%{buildroot}/usr/bin/a" "the build root's path in a file stops the build" "^1:"
like "$out" "Found .* in installed files" "and is shown"

# Other distributions' macros; this machine's own say debian.
mkdir -p "$work/src"
for srpm in dist/rpm/"$ruby"-[0-9]*.patchset[1-9]*.src.rpm dist/rpm/"$ruby"-rubygem-*.patchset[1-9]*.src.rpm; do
	rpm2cpio "$srpm" | (cd "$work/src" && cpio -idm --quiet)
done
for distribution in "fedora 42 redhat" "rhel 9 redhat" "suse_version 1600 suse"; do
	# shellcheck disable=SC2086
	set -- $distribution
	for spec in "$work"/src/*.spec; do
		run rpmspec -P --define "_vendor $3" --define "$1 $2" --define "_sourcedir $work/src" "$spec"
		is "$rc" 0 "${spec##*/} parses for $1"; show
	done
done
wants() { rpmspec -q --buildrequires --define "_vendor $2" --define "$1" "$work/src/$ruby.spec"; }
like "$(wants "suse_version 1600" suse)" "^timezone\$" "SUSE's names are used there"
like "$(wants "fedora 42" redhat)" "^tzdata\$" "Fedora's there"
is "$(rpmspec -q --buildrequires --without tests --without yjit "$work/src/$ruby.spec" | grep -c -e jansson -e rustc)" 0 "without tests and YJIT their tools are not wanted"
is "$(rpmspec -P --with pgo "$work/src/$ruby.spec" | grep -c '^patchset/pgo main .*make')" 1 "with pgo make runs below it"
is "$(rpmspec -q --without docs --qf '%{name}\n' "$work/src/$ruby.spec" | grep -c doc)" 0 "without docs there is no doc package"

# Fedora's way to look at the patched tree.
mkdir -p "$work/bp/SOURCES"
cp "$work"/src/* "$work/bp/SOURCES/"
run rpmbuild -bp --nodeps --define "_topdir $work/bp" --define "__scm quilt" "$work/src/$ruby-rubygem-puma.spec"
is "$rc" 0 "rpmbuild -bp with quilt"; show
series=$(sed 's/#.*//' "$top/patches/puma/$PATCHSET_PUMA/series" | awk 'NF { print $1 }')
is "$(cd "$work"/bp/BUILD/puma* && quilt applied | tail -n "$(printf '%s\n' "$series" | wc -l)" | sed 's,.*/,,')" "$series" "quilt shows the series applied"

# An upstream origin is named by its full URL.
mkdir -p "$work/up/dist/stamps" "$work/up/local" "$work/project"
# Where any user may read it.
for f in build-aux debian patches rpm tests upstream; do cp -R "$top/$f" "$work/project/"; done
cd "$work/up" || exit 1
tar -xf "$tree/dist/upstream/$(q --qf '[%{source}\n]' "$tree"/dist/rpm/"$ruby"-rubygem-puma-*.patchset[1-9]*.src.rpm | grep orig)" -C "$work/up"
mv puma-* puma-up
tar -czf local/puma-up.tar.gz puma-up
pin=$work/up/puma.pin
sed -e 's/^Canonical:.*/Canonical: upstream/' -e "s,^Origin:.*,Origin: upstream https://upstream.invalid/pub/puma-up.tar.gz $(sha256sum local/puma-up.tar.gz | cut -d ' ' -f 1)," \
	"$top/upstream/puma-$PATCHSET_PUMA.pin" >"$pin"
run env PATCHSET_DISTDIR="$work/up/local" sh "$work/project/build-aux/srpm" "$pin" dist/stamps/s
is "$rc" 0 "a source rpm from an upstream tarball"; show
rpm2cpio dist/rpm/*.src.rpm | cpio -idm --quiet
is "$(rpmspec -q --srpm --qf '[%{source}\n]' ./*.spec | grep puma-up; rpmspec -P ./*.spec | sed -n 's/^Source0: *//p')" "puma-up.tar.gz
https://upstream.invalid/pub/puma-up.tar.gz" "Source0 is its URL"

# Bad input, on Puma's source rpm.
mkdir -p "$work/bad/dist/rpm" "$work/bad/dist/stamps" "$work/bad/bin" "$work/bad/tmp"
cd "$work/bad" || exit 1
for rpm in $rpms; do case $rpm in *puma*) ;; *) ln -s "$tree/dist/rpm/$rpm" dist/rpm/ ;; esac; done
cp "$tree"/dist/rpm/"$ruby"-rubygem-puma-*.patchset[1-9]*.src.rpm dist/rpm/
ln -s "$tree/dist/upstream" dist/
# shellcheck disable=SC2086
set -- $PATCHSET_RPM_STAMPS
cp "$tree/$1" ruby.stamp
cp "$tree/$2" nio4r.stamp
set -- "$work/project/build-aux/rpm" "$work/project/upstream/puma-$PATCHSET_PUMA.pin" stamp "$PWD/ruby.stamp" "$PWD/nio4r.stamp"
printf '#!/bin/sh\ncase "$*" in *openssl*) exit 1 ;; esac\nexec /usr/bin/pkg-config "$@"\n' >bin/pkg-config
chmod +x bin/pkg-config
run env PATH="$PWD/bin:$PATH" TMPDIR="$PWD/tmp" sh "$@"
is "$rc" 5 "a missing build requirement: exit code 5"
like "$out" "missing BuildRequires: pkgconfig(openssl);" "it is named"
one_line "said"
mkdir "a b"
run env TMPDIR="$PWD/a b" sh "$@"
is "$rc" 2 "a blank in TMPDIR: exit code 2"
one_line "said"
is "$(find . -name "*puma*.rpm" ! -name "*.src.rpm" -o -name stamp; ls tmp; ls "a b")" "" "nothing is left"

# Built by a user, who may not write everywhere, nor in the cache of a compiler.
mkdir user
cp -RL "$work/bad/dist" user/
chmod 755 .. . && chown -R nobody user
run setpriv --reuid=nobody --regid=nogroup --clear-groups env -u CCACHE_DIR HOME="$PWD/user" PATCHSET_TEST_LEVEL=none \
	sh -c 'cd "$1" && shift && exec sh "$@"' sh "$PWD/user" "$@"
is "$rc" 0 "an unprivileged user builds the source rpm"; show
mkdir closed
run setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c 'cd "$1" && shift && exec sh "$@"' sh "$PWD/closed" "$@"
is "$rc" 1 "a folder that may not be written: exit code 1"
one_line "said"

# One more test, which fails: no package may appear.
mkdir -p top/SOURCES
rpm2cpio dist/rpm/*puma*.src.rpm | (cd top/SOURCES && cpio -idm --quiet && tar -xzf ./*-tools.tar.gz && cat >>patchset/tests/parser/test_env_keys.rb <<'EOF'
class TestInjected < Minitest::Test
  def test_that_fails = assert_equal(1, 2)
end
EOF
	tar -czf ./*-tools.tar.gz patchset)
rm dist/rpm/*puma*
rpmbuild -bs --define "_topdir $PWD/top" top/SOURCES/*.spec >out 2>&1 || cat out
mv top/SRPMS/*.src.rpm dist/rpm/
run env PATCHSET_TEST_LEVEL=full TMPDIR="$PWD/tmp" sh "$@"
is "$rc" 1 "a failing test fails the build: exit code 1"
like "$out" "TestInjected#test_that_fails" "the failed test is named"
is "$(find dist -name "*puma*.rpm" ! -name "*.src.rpm"; find . -maxdepth 1 -name stamp; ls tmp)" "" "no package appears, and no stamp"
finish
