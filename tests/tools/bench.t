#!/bin/sh
# bench: its statistics against published values, the table and the chart from
# a made-up result, and what it refuses.  No speed is looked at.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C.UTF-8
cd "$work" || exit 1
statistics() { ruby -r"$top/bench/report.rb" -e "include Bench::Statistics; puts($1)" 2>&1; }

is "$(statistics 'median([3.0, 1.0, 2.0])')" 2.0 "median of an odd number"
is "$(statistics 'median([4.0, 1.0, 3.0, 2.0])')" 2.5 "median of an even number"
# The ranks that tables of the sign test give for 95 % (Dixon and Massey,
# Introduction to Statistical Analysis, table A-10b; Conover, table A3).
is "$(statistics '[6, 8, 9, 12, 15, 20, 25].map { |n| interval((1..n).to_a.reverse).join(":") }.join(" ")')" \
	"1:6 1:8 2:8 3:10 4:12 6:15 8:18" "the interval's ranks are those of the tables"
is "$(statistics 'interval([1, 2, 3, 4, 5]).inspect')" nil "five values have no such interval"
is "$(statistics 'interval([1.0] * 8 + [9.0]).join(" ")')" "1.0 1.0" "one wild value does not widen it"
is "$(statistics 'geometric_mean([1.0, 2.0, 4.0]).round(9)')" 2.0 "geometric mean"

cat >results.json <<'END'
{"date": "2026-12-01", "cpu": "Some CPU", "pairs": 9, "partial": false,
 "patched": {"version": "ruby 3.4.5 ours", "packages": ["ruby3.4 3.4.5-1+0patchset1"]},
 "stock": {"version": "ruby 3.4.5 theirs", "packages": ["ruby3.4 3.4.5-1+0patchset0"]},
 "left_out": [{"name": "a row, YJIT", "reason": "the stock Ruby has no YJIT"}],
 "rows": [
  {"name": "a \"row\"_1", "group": "slices", "shown": true, "turns": 1000,
   "patched": {"cpu": [1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0], "objects": 1000, "gc": 7, "retained": 0, "peak": 10240, "instructions": 1000},
   "stock": {"cpu": [1.9,1.1,1.2,1.3,1.5,1.4,1.6,1.7,1.8], "objects": 2000, "gc": 7, "retained": 0, "peak": 20480, "instructions": 2250}},
  {"name": "a gem", "group": "macro", "shown": false, "turns": 10,
   "patched": {"cpu": [2.0,2.0,2.0,2.0,2.0,2.0,2.0,2.0,2.0], "objects": 10, "gc": 1, "retained": 0, "peak": 1024},
   "stock": {"cpu": [1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0], "objects": 10, "gc": 1, "retained": 0, "peak": 1024}},
  {"name": "kept", "group": "memory", "shown": true, "turns": 200, "retained": true,
   "patched": {"cpu": [1.0], "objects": 1, "gc": 1, "retained": 124, "peak": 1},
   "stock": {"cpu": [1.0], "objects": 1, "gc": 1, "retained": 196000, "peak": 1}}]}
END
run ruby "$top/bench/report.rb" .
is "$rc:$out" "0:" "a report is made of a result"
row='| a "row"_1 | 1.50x | 1.20 to 1.80 | 2.25x | 2 → 1 | 7 | 20.0 MB → 10.0 MB |'
like "$(cat results.md)" "^$row\$" "ratio, interval, instructions, objects, GC runs and memory of a row"
like "$(cat results.md)" '^| a gem | 0.50x | 0.50 to 0.50 | - | 1 | 1 | 1.0 MB |$' "what was not counted is said; equal figures stand once"
like "$(cat results.md)" '^| kept | - | - | - | - | - | 196000 kB → 124 kB |$' "a row of what stays in memory"
like "$(cat results.md)" "2026-12-01, Some CPU, 9 pairs" "date, CPU and pairs"
like "$(cat results.md)" "ruby3.4 3.4.5-1+0patchset0" "versions"
like "$(cat results.md)" "^Geometric mean of the macro rows: 0.50x without YJIT.\$" "geometric mean of the macro rows"
like "$(cat results.md)" "^- a row, YJIT: the stock Ruby has no YJIT\$" "what was left out, with its reason"
like "$(head -n 5 ratios.svg)" "<svg" "a chart is made"
like "$(cat ratios.svg)" "a row_1" "the chart names the shown row"
is "$(grep -c 'a gem' ratios.svg)" 0 "and no other"

printf 'before\n<!-- bench -->\nold\n<!-- end of bench -->\nafter\n' >README.md
run ruby "$top/bench/report.rb" . README.md
is "$rc:$out" "0:" "README's part is written"
like "$(cat README.md)" "^$row\$" "with the shown row"
is "$(grep -c -e '^old$' -e '^| a gem' README.md)" 0 "and neither what was there nor another row"
is "$(sed -n '1p;2p;$p' README.md | tr '\n' ' ')" "before <!-- bench --> after " "what stands around it stays"
cp README.md once
run ruby "$top/bench/report.rb" . README.md
is "$(cmp README.md once 2>&1)" "" "a second time makes the same"
mkdir pgo && sed '/"cpu": \[1.0,1.0/s/1\.0/0.75/g' results.json >pgo/results.json
run ruby "$top/bench/report.rb" . README.md
is "$rc:$out" "0:" "profiled packages beside the others"
row='| a "row"_1 | 1.50x | 1.20 to 1.80 | 2.00x | 1.60 to 2.40 | 2.25x | 2 → 1 | 7 | 20.0 MB → 10.0 MB |'
like "$(cat README.md)" "^$row\$" "their ratio and interval stand in the same row"
like "$(cat README.md)" "^With the profile: 0.38x without YJIT.\$" "and their mean is said"
like "$(cat ratios.svg)" "dots: with the profile" "the chart has them too"
rm -r pgo
cp README.md once
sed -i 's/"partial": false/"partial": true/' results.json
run ruby "$top/bench/report.rb" . README.md
is "$rc" 1 "a quick run is not for README"; one_line "said"
is "$(cmp README.md once 2>&1)" "" "and README stays"
echo '{"rows": [' >results.json
run ruby "$top/bench/report.rb" .
is "$rc" 1 "a damaged result: exit code 1"; one_line "said"

bench=$top/build-aux/bench
mkdir -p none junk debs/root/DEBIAN
run sh "$bench" none none
is "$rc" 1 "no debs: exit code 1"; one_line "said"
like "$out" "no deb of the patch side in none" "side and folder are named"
run sh "$bench" dist/stamps/absent none
is "$rc" 1 "missing stamps: exit code 1"; one_line "said"
echo junk >junk/junk.deb
run sh "$bench" junk none
is "$rc" 1 "a damaged deb: exit code 1"; one_line "said"
like "$out" "cannot unpack junk/junk.deb" "it is named"
printf 'Package: empty\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: nothing\n' >debs/root/DEBIAN/control
dpkg-deb -b debs/root debs/empty.deb >/dev/null
run sh "$bench" debs none
is "$rc" 1 "debs without Ruby: exit code 1"; one_line "said"
like "$out" "side: these packages hold not one Ruby" "it says so"
mkdir -p dist/deb dist/stamps
cp debs/empty.deb dist/deb/
(cd dist/deb && sha256sum empty.deb) >dist/stamps/deb-empty
run sh "$bench" dist/stamps/deb-empty none
like "$out" "side: these packages hold not one Ruby" "the debs that a stamp names are taken from dist/deb"
run sh "$bench"
is "$rc" 2 "no sides: exit code 2"

# The driver on two sides that only say figures.
fake() { # fake SIDE COMMAND...: what its Ruby does
	mkdir -p "fake/$1/gems"
	echo "ruby3.4 1" >"fake/$1/packages"
	echo "ruby of $1" >"fake/$1/version"
	printf '#!/bin/sh\n%s\n' "$2" >"fake/$1/ruby"
	chmod +x "fake/$1/ruby"
}
driver() { run env QUICK=1 ROWS="$1" ruby "$top/bench/driver.rb" fake; }
fake patch 'echo 0.10 10 1 0 1000 42'
fake stock 'echo 0.25 20 1 0 1000 42'
driver "tail of 24 bytes, frozen"
is "$rc" 0 "the driver runs a row on both sides"
like "$out" "tail of 24 bytes, frozen parent: 2.50x, 2.50 to 2.50" "and says ratio and interval"
like "$(cat fake/results.md)" "^| tail of 24 bytes, frozen parent | 2.50x " "results.md has it"
driver "against the floor"
like "$out" "against the floor: 1.00x" "a peer runs on the patched Ruby"
echo "ERROR: no such gem" >fake/stock/gems/csv.failed
driver "CSV|24 bytes, frozen"
is "$rc" 0 "a gem that cannot be had fails nothing"
like "$out" "left out: CSV.parse, 100 lines of 8 fields: stock: ERROR: no such gem" "but its row is said to be left out, and why"
driver CSV
is "$rc" 1 "no row is left: exit code 1"; one_line "said"
fake stock 'echo 0.25 20 1 0 1000 43'
driver "24 bytes, frozen"
is "$rc" 1 "another result on one side: exit code 1"; one_line "said"
like "$out" "tail of 24 bytes, frozen parent: the two sides give different results" "the row is named"
fake stock 'echo "it broke" >&2; exit 3'
driver "24 bytes, frozen"
is "$rc" 1 "a crash: exit code 1"; one_line "said"
like "$out" "tail of 24 bytes, frozen parent: stock failed (3): it broke" "row, side, code and message are said"

# The rows by the machine's own Ruby: each names what the driver needs.
is "$(ruby -e 'require ARGV[0]
  gems = File.readlines(ARGV[1]).grep_v(/^#/).map { |line| line.split.first }
  Bench::ROWS.each_value { |r| puts r.name unless r.group && r.turns > 0 && (!r.options[:gem] || gems.include?(r.options[:gem])) }
  puts Bench::ROWS.size > 100' "$top/bench/worker.rb" "$top/bench/gems")" true "every row has its group, turns and gems"
run ruby "$top/bench/worker.rb" "tail of 24 bytes, frozen parent" 100 10
like "$out" '^[0-9.e-]* 1[0-9][0-9] [0-9]* -\{0,1\}[0-9]* [1-9][0-9]* [1-9][0-9]*$' "a row runs and says its figures"
finish
