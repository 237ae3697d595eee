#!/bin/sh
# The patched Ruby against the stock one: random programs on strings must leave
# the same in both (tests/compare/slices.rb).  make check runs this in the build
# tree; SLICES is how many programs, each of about 24 slices, from seed SEED on.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
: "${PATCHSET_STAMPS:?run this by make check}" "${PATCHSET_STOCK_STAMPS:?}"
count=${SLICES-4200} seed=${SEED-1}
slices=$top/tests/compare/slices.rb
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
# The first stamp is Ruby's.
set -- $PATCHSET_STAMPS && patched_stamp=$1
set -- $PATCHSET_STOCK_STAMPS && stock_stamp=$1
side patched "$patched_stamp"
side stock "$stock_stamp"
command() { echo "$work/$1/ruby --disable-gems -I$work/$1/probe"; }
shrink() { $(command patched) "$slices" shrink "$1" "$2" "$3" 2>&1 | sed 's/^/# /'; }

# shellcheck disable=SC2046
for name in patched stock; do $(command $name) "$slices" run "$seed" "$count" >"$work/$name.out" 2>"$work/$name.err" & eval "$name=$!"; done
# shellcheck disable=SC2154
wait "$patched"; is "$?:$(cat "$work/patched.err")" "0:" "$count programs from seed $seed on the patched Ruby"
# shellcheck disable=SC2154
wait "$stock"; is "$?:$(cat "$work/stock.err")" "0:" "and on the stock one"
is "$(grep crashed "$work/patched.out")" "" "none crashes the patched Ruby"
# Copies of some wide middle slices abort a stock Ruby: patch 0005 tells.
sed -n 's/ crashed: [a-z_]*: allocation size too large.*//p' "$work/stock.out" >"$work/known"
rest() { awk 'NR == FNR { known[$1] = 1; next } !($1 in known) && $1 != "slices"' "$work/known" "$work/$1.out"; }
rest patched >"$work/a"; rest stock >"$work/b"
is "$(diff "$work/a" "$work/b" | head -n 5)" "" "all leave the same in both"
echo "# $(tail -n 1 "$work/patched.out"), $(wc -l <"$work/known") programs left out that a fault of the stock Ruby ends"
is "$([ "$(wc -l <"$work/a")" -gt $((count * 97 / 100)) ] && echo most)" most "of which few end by a fault of the stock Ruby"
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
finish
