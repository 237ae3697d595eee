#!/bin/sh
# The built packages as files, and what a failing test does to a build.
# make check runs this in the build tree; PATCHSET_STAMPS names the stamps of
# Ruby, nio4r and Puma, whose lines are the packages.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
: "${PATCHSET_STAMPS:?run this by make check}" "${PATCHSET_PUMA:?}" "${PATCHSET_RUBY:?}"
tree=$PWD
ruby=ruby$PATCHSET_RUBY
# shellcheck disable=SC2086
debs=$(made $PATCHSET_STAMPS)
for p in "$ruby" "lib$ruby" "$ruby-dev" "$ruby-doc" "lib$ruby-dbgsym" "$ruby-nio4r" "$ruby-puma" "$ruby-puma-dbgsym"; do
	is "$(printf '%s\n' "$debs" | grep -c "^${p}_")" 1 "there is a package $p"
done
# shellcheck disable=SC2086
sbom_of dist/deb $debs
for deb in $debs; do
	case $deb in *-dbgsym_*) continue ;; esac
	dpkg-deb -x "dist/deb/$deb" "$work/root"
done
gems=/usr/lib/ruby/gems/$PATCHSET_RUBY.0
is "$([ ! -e "$gems" ] || dpkg-query -S "$gems" 2>&1 | grep -v "^${ruby}[:,]")" "" "the builds left nothing in $gems of this machine"
cd "$work/root" || exit 1
is "$(find . -type f -exec grep -lE '/var/tmp/deb\.|prefix-map=' {} + | head -n 5)" "" "no file names the build folder"
elf_files "$PATCHSET_RUBY"
like "$(cat "usr/share/doc/$ruby/README.Debian")" "^Ruby $PATCHSET_RUBY with the ruby-patchset series" "README.Debian is there, with the release filled in"
like "$(find usr/share/ri -name '*.ri')" "String/slice-i.ri" "ri's data are in the doc package"

# The tests of the series skip what a shorter series has not.
cd "$tree" || exit 1
if [ -f "dist/report/$ruby-patched/embed.json" ]; then
	like "$(cat "dist/report/$ruby-patched/embed.json")" '"skips": 0,' "the series is whole: none of its tests was skipped"
else skip "none of the series' tests was skipped" "the packages were built without tests"; fi

# What an archive would say.
# shellcheck disable=SC2086
set -- $PATCHSET_STAMPS
for source in "$ruby" "$ruby-nio4r" "$ruby-puma"; do
	# shellcheck disable=SC2046
	run lintian --pedantic --fail-on error,warning dist/deb/"$source"_*patchset[1-9]*.dsc $(made "$1" | sed 's,^,dist/deb/,')
	shift
	is "$rc:$(printf '%s\n' "$out" | grep '^[EW]:' | head -n 5)" "0:" "lintian finds no error and nothing to warn of in $source"
done

# One more test, which fails, in Puma's source package: no package may appear.
cd "$work" || exit 1
mkdir -p dist/deb dist/stamps
ln -s "$tree/dist/upstream" dist/
ln -s "$tree"/dist/deb/*.deb dist/deb/
rm -f dist/deb/"$ruby"-puma*
# shellcheck disable=SC2086
set -- $PATCHSET_STAMPS
puma_ruby=$1 puma_nio4r=$2
dsc=$(ls "$tree/dist/deb/${ruby}-puma_"*"+0patchset"[1-9]*.dsc | tail -n 1)
dpkg-source -x "$dsc" puma >/dev/null 2>&1
cat >>puma/debian/tests/parser/test_env_keys.rb <<'EOF'
class TestInjected < Minitest::Test
  def test_that_fails = assert_equal(1, 2)
end
EOF
cp "$tree/dist/deb/${ruby}-puma_"*.orig.tar.* .
dpkg-source -b puma >out 2>&1 || cat out
mv ./*.dsc ./*.tar.* dist/deb/
run env PATCHSET_TEST_LEVEL=full sh "$top/build-aux/deb" "$top/upstream/puma-$PATCHSET_PUMA.pin" stamp "$tree/$puma_ruby" "$tree/$puma_nio4r"
is "$rc" 1 "a failing test fails the build: exit code 1"
like "$out" "TestInjected#test_that_fails" "the failed test is named"
like "$out" "no package of it was made (log: dist/logs/deb-$ruby-puma.log)" "and the log"
is "$(find . -name "*puma*.deb" -o -name stamp)" "" "no package appears, and no stamp"
like "$(cat dist/report/"$ruby"-puma-patched/env-keys.json)" '"verdict": "failed"' "the report is there and says failed"

# The same source package as built, cut off and then left to finish.
cp "$tree/dist/deb/$(basename "$dsc" .dsc)".* dist/deb/
mkdir tmp
set -- sh "$top/build-aux/deb" "$top/upstream/puma-$PATCHSET_PUMA.pin" stamp "$tree/$puma_ruby" "$tree/$puma_nio4r"
export TMPDIR="$work/tmp" PATCHSET_TEST_LEVEL=none
env --default-signal=INT setsid "$@" >out 2>&1 &
pid=$!
for _ in $(seq 60); do
	[ -z "$(find tmp -path '*/debian/staged')" ] || break
	sleep 0.5
done
env kill -INT -- "-$pid"; wait "$pid"
sleep 1
is "$(find . -name "*puma*.deb" -o -name stamp; ls tmp)" "" "Ctrl-C in the middle of a build leaves no package, no stamp and no temporary folder"
run "$@"
is "$rc:$(ls stamp)" "0:stamp" "and the next run completes"
if mkdir full && mount -t tmpfs -o size=1m tmpfs full 2>/dev/null; then
	rm -f stamp dist/deb/*puma*.deb
	run env TMPDIR="$work/full" "$@"
	is "$rc" 1 "a full disk: exit code 1"
	like "$out" "cannot unpack" "it says what could not be done"
	is "$(find . -name "*puma*.deb" -o -name stamp; ls full)" "" "and nothing is left"
	umount full
else
	skip "a full disk" "cannot mount here"
fi
finish
