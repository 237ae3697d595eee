#!/bin/sh
# configure: what it refuses, and the paths that it must cope with.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 1
# A checkout that is configured in its own folder takes no other build folder.
mkdir src
tar -C "$top" --exclude=./dist --exclude=./source --exclude=./.git --exclude=./config.status --exclude=./Makefile -cf - . | tar -xf - -C src
top=$work/src
refused() { # refused NAME PATTERN OPTION...
	name=$1 pattern=$2; shift 2
	mkdir -p b && rm -rf b/*
	run sh -c 'cd b && exec "$@"' sh "$top/configure" -q "$@"
	is "$rc" 1 "$name: exit code 1"
	like "$out" "$pattern" "$name: says what to do"
	one_line "$name: said"
	is "$(ls b/Makefile 2>/dev/null)" "" "$name: no Makefile is made"
}
refused "an unknown Ruby" "with-ruby=9.9: no such release here; take 3.4 or 3.3" --with-ruby=9.9
refused "Ruby 3.1" "Ruby 3.1 has no variable-width string slots" --with-ruby=3.1
refused "an unknown Puma" "with-puma=7.0: no such release here; take 8.0, 6.6 or 5.6" --with-puma=7.0
refused "an unknown test level" "with-test-level=some: take full, core or none" --with-test-level=some
refused "a missing folder of tarballs" "with-distdir=/absent: no such folder" --with-distdir=/absent

mkdir -p "with blank"
run sh -c 'cd "with blank" && "$1" -q' sh "$top/configure"
is "$rc" 1 "a build folder with a blank: exit code 1"
like "$out" "with blank\" has a blank" "it says so"
one_line "said"

deep=$(printf 'd%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)
path=.; for _ in 1 2 3 4 5 6 7 8 9 10; do path=$path/$deep; done
mkdir -p "$path"
run sh -c 'cd "$1" && "$2" -q && make -s help' sh "$path" "$top/configure"
is "$rc" 0 "a build folder 120 characters deep configures"
like "$out" "^  deb  " "and make help works there"

# bootstrap, with a stand-in for apt-get that finds everything there.
mkdir -p there boot
printf '#!/bin/sh\necho "0 upgraded, 0 newly installed"\n' >there/apt-get
chmod +x there/apt-get
boot() { run env PATH="$work/there:$PATH" sh -c 'cd boot && sh "$@"' sh "$top/bootstrap" "$@"; }
for target in nosuch 're.o' '.*' ''; do
	boot "$target"
	is "$rc" 2 "an unknown target, \"$target\": exit code 2"
	is "$(printf '%s\n' "$out" | grep -cF "no such target: $target;")" 1 "it is named"
	one_line "said"
done
touch -d '+1 minute' "$top/tests/local.mk"
boot --with-test-level=none
is "$rc" 0 "bootstrap after configure's inputs changed"; show
like "$out" "bootstrap: autoreconf" "makes configure anew"
touch "$top/tests/local.mk" "$top/configure"
boot help
is "$rc:$(printf '%s\n' "$out" | grep -c autoreconf)" "0:0" "and else does not"
boot --with-ruby=9.9
like "$out" "no such release here" "what configure says is shown"
mkdir boot/closed && chmod 555 boot/closed
run setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c 'cd boot/closed && sh "$1"' sh "$top/bootstrap"
is "$rc" 1 "a folder that may not be written: exit code 1"
like "$out" "bootstrap: cannot write to .*closed/dist/logs/bootstrap.log" "it says so"
one_line "said"

# A missing tool stops the targets that need it and no other.
mkdir -p bin build
for tool in $(ls /usr/bin /bin /usr/sbin /sbin | sort -u); do
	case $tool in quilt | */*) ;; *) ln -sf "$(PATH=/usr/bin:/bin:/usr/sbin:/sbin; command -v "$tool" 2>/dev/null || echo /absent)" "bin/$tool" ;; esac
done
run env PATH="$work/bin" sh -c 'cd build && "$1" -q' sh "$top/configure"
is "$rc" 0 "without quilt, configure still succeeds"
run env PATH="$work/bin" make -C build --no-print-directory source
is "$rc" 2 "but make source fails"
like "$out" "missing: quilt (package quilt); install it" "and names tool and package"
finish
