# shellcheck shell=sh disable=SC2034
# TAP in sh; sourced by the tests of this folder.  Each test works in a
# private folder, $work, which goes at the end.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tap.XXXXXX")
chmod 755 "$work"
tests=0 failed=0
# What a test mounts below it is not ours to remove.
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP
unset PATCHSET_LOCK PATCHSET_STOCK PATCHSET_DISTDIR MAKEFLAGS MFLAGS MAKELEVEL

result() { # result STATUS NAME [DETAIL]
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then echo "ok $tests - $2"; else
		failed=$((failed + 1))
		echo "not ok $tests - $2"
		[ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/#   /'
	fi
}
is() { # is ACTUAL EXPECTED NAME
	if [ "$1" = "$2" ]; then result 0 "$3"; else result 1 "$3" "got: $1
expected: $2"; fi
}
like() { # like ACTUAL BASIC-REGEXP NAME
	if printf '%s\n' "$1" | grep -q -e "$2"; then result 0 "$3"; else result 1 "$3" "got: $1
no match of: $2"; fi
}
skip() { tests=$((tests + 1)); echo "ok $tests - $1 # SKIP $2"; } # skip NAME REASON
# run COMMAND...: sets out (both streams) and rc.
run() { rc=0; out=$("$@" 2>&1 </dev/null) || rc=$?; }
# unpack TARBALL FOLDER: a release's tarball or gem, without its top folder.
unpack() {
	mkdir -p "$2"
	case $1 in
	*.gem) tar -xOf "$1" data.tar.gz | tar -xz -C "$2" ;;
	*) tar -xf "$1" -C "$2" --strip-components=1 ;;
	esac
}
# made STAMP...: the files that these promise, as build-aux/common.sh writes them.
made() { sed 's/^[^ ]*  //' "$@"; }
# dsc_of STAMP: the source package that the debs of this one were built from.
dsc_of() { made "$(echo "$1" | sed 's,/deb-,/dsc-,')" | grep '\.dsc$'; }
# gem_server RUBY: whether RUBY's gem server can be had; else the reason is in
# $out.  Asked by curl, so that a fault of RUBY's own client is none of these.
gem_server() { run curl -sS -o /dev/null "$("$1" -e 'puts Gem.sources.first.uri')"; [ "$rc" -eq 0 ]; }
# elf_files RUBY: the programs and libraries in the unpacked packages of the
# current folder are hardened and look for no library in a folder of their own.
elf_files() {
	find . -type f ! -path '*/debug/*' \( -name '*.so*' -o -path '*/bin/ruby*' \) -exec sh -c 'readelf -h "$1" >/dev/null 2>&1' sh {} \; -print >"$work/elf"
	is "$([ "$(wc -l <"$work/elf")" -gt 50 ] && echo many)" many "there are many ELF files to look at"
	is "$(while read -r f; do readelf -dW "$f" | grep -q -e RPATH -e RUNPATH && echo "$f"; done <"$work/elf")" "" "none has an rpath"
	is "$(while read -r f; do readelf -dW "$f" | grep -q -e BIND_NOW -e 'FLAGS_1.*NOW' || echo "$f"; done <"$work/elf")" "" "each is linked with -z now"
	is "$(while read -r f; do readelf -lW "$f" | grep -q GNU_RELRO || echo "$f"; done <"$work/elf")" "" "each is linked with -z relro"
	lib=$(find . -name "libruby-$1.so.*.*.*" -type f ! -path '*/debug/*')
	like "$(readelf -sW --dyn-syms "$lib")" "__stack_chk_fail" "libruby has stack protection"
	like "$(readelf -sW --dyn-syms "$lib")" "__memcpy_chk" "and fortified calls"
	is "$(find . -path '*ssl_certs*' -name '*.pem')" "" "no certificates beside the system's"
	is "$(find . -name '*.o' -o -name mkmf.log -o -name gem_make.out -o -path '*/gems/*/ext/*.c' | grep -v /src/debug/)" "" "no leftovers of extension builds"
	is "$(find . -type f -perm /111 -exec grep -lE '^#! *(/usr/bin/env ruby|/usr/bin/ruby)$' {} +)" "" "no script asks for another Ruby"
}
# sbom_of FOLDER FILE...: beside these packages there are SBOMs that tell of them,
# each sum in which is that of the file that it stands for.
sbom_of() {
	folder=$1; shift
	for file; do grep -lx "PackageFileName: $file" "$folder"/*.spdx || echo "$file is in none"; done 2>&1 | sort -u >"$work/spdx"
	is "$(grep -v '\.spdx$' "$work/spdx")" "" "each package is in an SBOM"
	grep '\.spdx$' "$work/spdx" | xargs cat >"$work/spdx.all"
	sed -n -e 's/^PackageFileName: //p' -e 's,^FileName: \./,/,p' -e 's/^.*Checksum: SHA256: //p' "$work/spdx.all" | paste - - |
		while IFS='	' read -r name sum; do
			case $name in
			/*) name=$top$name ;;
			*) [ -f "$folder/$name" ] && name=$folder/$name || name=dist/upstream/$name ;;
			esac
			echo "$sum  $name"
		done >"$work/sums"
	run sha256sum --check --quiet "$work/sums"
	is "$rc$out" 0 "and the sums in it are those of the packages, patches and tarballs"
	is "$(sed 's,^.*  ,,' "$work/sums" | grep "^$top/patches/" | sort)" "$(find "$top/patches/ruby/$PATCHSET_RUBY" "$top/patches/puma/$PATCHSET_PUMA" -name '*.patch' | sort)" "each patch of the series is in it"
}
# The end of a failed command's output, as comments.
show() { [ "$rc" -eq 0 ] || printf '%s\n' "$out" | tail -n 30 | sed 's/^/# /'; }
one_line() { is "$(printf '%s\n' "$out" | grep -c .)" 1 "$1 in one line"; }
finish() { echo "1..$tests"; [ "$failed" -eq 0 ]; }
