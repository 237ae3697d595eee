#!/bin/sh
# The patched packages against the stock ones (tests/compare): random programs on
# strings must leave the same in both, and Puma's parser must make the same of
# random requests.  make check runs this in the build tree; PROGRAMS, each of
# about 24 slices, and REQUESTS say how many, from the seed SEED on.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
: "${PATCHSET_STAMPS:?run this by make check}" "${PATCHSET_STOCK_STAMPS:?}" "${PATCHSET_PUMA:?}"
count=${PROGRAMS-4200} requests=${REQUESTS-100000} seed=${SEED-1}
slices=$top/tests/compare/slices.rb requests_rb=$top/tests/compare/requests.rb
side() { # side NAME STAMP...: its Ruby, with the probe, and its command in $NAME
	name=$1; shift
	debs=$(made "$@" | grep -v -e -dbgsym_ -e -doc_ | sed 's,^,dist/deb/,')
	# shellcheck disable=SC2086
	run sh "$top/build-aux/side" "$work/$name" $debs
	is "$rc" 0 "the $name packages are unpacked"; show
	mkdir "$work/$name/probe" && cp "$top"/tests/embed/e* "$work/$name/probe/"
	run sh -c 'cd "$1/probe" && "$1/ruby" extconf.rb && make' sh "$work/$name"
	is "$rc" 0 "and compile the probe"; show
}
# shellcheck disable=SC2086
side patched $PATCHSET_STAMPS
# shellcheck disable=SC2086
side stock $PATCHSET_STOCK_STAMPS
command() { echo "$work/$1/ruby --disable-gems -I$work/$1/probe"; }
shrink() { $(command patched) "$slices" shrink "$1" "$2" "$3" 2>&1 | sed 's/^/# /'; }

both() { # both ARGUMENT...: on both sides at once; $rc and $out tell of a failure
	for name in patched stock; do
		(rc=0; $(command $name) "$@" >"$work/$name.out" 2>"$work/$name.err" || rc=$?; echo $rc >"$work/$name.rc") &
	done
	wait
	rc=$(cat "$work"/*.rc | sort -n | tail -n 1) out=$(head -n 5 "$work/patched.err" "$work/stock.err")
}
both "$slices" run "$seed" "$count"
is "$rc:$(cat "$work"/*.err)" "0:" "$count programs on strings, from seed $seed on"; show
# Faults of Ruby itself end some programs: those that end the stock Ruby are left
# out.
ended() { sed 's/ crashed: .*//p; d' "$work/$1.out" | sort; }
ended stock >"$work/known"
is "$(ended patched | comm -23 - "$work/known")" "" "none ends the patched Ruby alone"
rest() { sort "$work/$1.out" | join -v 1 - "$work/known" | grep -v '^slices '; }
rest patched >"$work/a"; rest stock >"$work/b"
is "$(diff "$work/a" "$work/b" | head -n 5)" "" "the others leave the same in both"
is "$([ "$(wc -l <"$work/a")" -gt $((count * 97 / 100)) ] && echo most)" most "which are most"
echo "# $(tail -n 1 "$work/patched.out"), ended stock: $(paste -sd ' ' "$work/known")"
differs=$(diff "$work/a" "$work/b" | sed -n 's/^[<>] \([0-9]*\) .*/\1/p' | head -n 1)
[ -z "$differs" ] || shrink "$differs" "$(command patched)" "$(command stock)"

# A Ruby with a fault is found out, and the fault shown in a few lines.
cat >"$work/fault.rb" <<'EOF'
class String
  prepend(Module.new { def lstrip = super.tap { |s| s.force_encoding("BINARY") if s.bytesize.between?(100, 140) } })
end
EOF
faulty="$(command patched) -r$work/fault.rb"
$faulty "$slices" run "$seed" 300 >"$work/faulty.out" 2>&1
differs=$(head -n 300 "$work/patched.out" | diff - "$work/faulty.out" | sed -n 's/^< \([0-9]*\) .*/\1/p' | head -n 1)
is "${differs:+found}" found "a fault put into lstrip makes a difference"
shrink "$differs" "$(command patched)" "$faulty" >"$work/shrunk"
like "$(cat "$work/shrunk")" "lstrip" "the program is shrunk to it"
is "$([ "$(grep -c '^# v' "$work/shrunk")" -le 3 ] && echo short)" short "in three lines or fewer"
sed 's/^# /#   /' "$work/shrunk" | head -n 8

# Puma's parser: what the extensions of the packages make of requests.
both "$requests_rb" digest "$seed" $((requests / 5))
is "$rc:$(cat "$work"/*.err)" "0:" "$((requests / 5)) requests, from seed $seed on"; show
is "$(wc -l <"$work/stock.out"):$(diff "$work/patched.out" "$work/stock.out" | head -n 5)" "$((requests / 5)):" "env, body, buffer and errors are the same"
both "$requests_rb" limits
is "$rc:$(cat "$work"/*.err):$(diff "$work/patched.out" "$work/stock.out" | head -n 5)" "0::" "so they are for elements as long as is allowed, a byte shorter, and longer"; show
is "$(sed 's/ [0-9a-f]*$//; s/: HTTP element .* allowed length (was [0-9]*)/: refused/' "$work/patched.out")" "$(
	for limit in name:256 value:81920 uri:12288 fragment:1024 path:8192 query:10240 head:114688; do
		n=${limit#*:}
		printf '%s\n' "${limit%:*} $((n - 1)): taken" "${limit%:*} $n: taken" "${limit%:*} $((n + 1)): refused"
	done
)" "of which the longer ones alone are refused"

# And the parser itself, compiled from both trees, at each place to cut.
version=$(sed -n 's/^Version: //p' "$top/upstream/puma-$PATCHSET_PUMA.pin")
unpack "$(ls dist/upstream/puma[-_]"$version".*)" "$work/tree-stock"
cp -R "source/puma-$version" "$work/tree-patched"
compile() { # compile NAME TREE: NAME.o
	run gcc -O2 -w -DSIDE="$1" -I"$top/tests/compare" -I"$2/ext/puma_http11" -c "$top/tests/compare/parser_side.c" -o "$work/$1.o"
	[ "$rc" -eq 0 ] || show
}
link() { run gcc -O2 -Wall -Wextra -Werror "$top/tests/compare/parsers.c" "$work/stock.o" "$work/patched.o" -o "$work/parsers"; show; }
compile stock "$work/tree-stock"
compile patched "$work/tree-patched"
link
is "$rc" 0 "both parsers compile side by side"
$(command patched) "$requests_rb" write-bytes >"$work/bytes"
$(command patched) "$requests_rb" write "$seed" 20000 >"$work/requests"
run sh -c '"$1/parsers" 0 <"$1/bytes" && $2 write "$3" "$4" | "$1/parsers" "$3"' sh "$work" "$(command patched) $requests_rb" "$seed" "$requests"
is "$rc" 0 "same callbacks, state, buffer and error position, whole and cut, no byte read beyond the end"
printf '%s\n' "$out" | sed 's/^/# /'
is "$(printf '%s\n' "$out" | sed -n 's/ requests, .*//p' | tail -n 1)" "$requests" "for that many requests"

# Faults put into the parser are found out.
fault() { # fault SED-SCRIPT NAME EXIT-CODE
	rm -rf "$work/tree-faulty" && cp -R "$work/tree-patched" "$work/tree-faulty"
	sed -i "$1" "$work"/tree-faulty/ext/puma_http11/http11_parser.[ch]
	rm -f "$work/parsers"
	compile patched "$work/tree-faulty"
	link
	is "$(diff -rq "$work/tree-patched" "$work/tree-faulty" | grep -c '^Files'):$([ -x "$work/parsers" ] && echo there)" "1:there" "a parser with $2"
	run sh -c '"$1/parsers" 0 <"$1/bytes" && "$1/parsers" "$2" <"$1/requests"' sh "$work" "$seed"
	is "$rc" "$3" "is found out"
}
fault 's/pe - p > 8/pe - p >= 8/' "a read of one byte beyond the end" 139
fault 's/ones \* 127/ones * 126/' "another byte refused in values" 1
fault 's/`ABC/`aBC/' "a byte of names left in lower case" 1
finish
