#!/bin/sh
# tests/stage/tally: what it makes of each runner's logs.  The logs are real
# ones, cut down; the counts that are expected were counted by hand.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 1
flags=$(pkg-config --cflags --libs jansson) || { echo "1..0 # SKIP no libjansson-dev"; exit 0; }
# shellcheck disable=SC2086 # options
build() { run "$1" -g -Wall -Wextra -Werror $2 -o "$3" "$top/tests/stage/tally.c" $flags; }
build cc "-fsanitize=address,undefined" tally
is "$rc$out" 0 "it compiles without warnings, with the address sanitizer"
for cc in gcc clang; do
	if command -v $cc >/dev/null; then build $cc -O2 unused; is "$rc$out" 0 "$cc has no warnings"; else skip "$cc has no warnings" "no $cc"; fi
done

cat >suites <<'END'
# a comment
test ruby-3.4 full 5
test-all ruby-3.4 full 3
test-all ruby-3.3 full 1
test-all ruby-3.4 core 1
test-spec ruby-3.4 full 3
END
: >ledger
level=full variant=patched uid=65534
# tally SUITE STATUS LOG...: sets rc and out, and txt, the summary.
tally() {
	case $1 in test) f=btest ;; test-spec) f=mspec ;; *) f=unit ;; esac
	s=$1 x=$2; shift 2
	rm -f ./*.txt ./*.json
	run ./tally -s "$s" -f $f -r ruby-3.4 -l $level -V $variant -u $uid -x "$x" -t 7 -d . -o . "$@"
	txt=$(cat "$s.txt" 2>/dev/null)
}
field() { is "$(printf '%s\n' "$txt" | sed -n "s/^$1: //p")" "$2" "$3"; }
line() { printf '%s\t%s\t%s\t%s\n' "$@"; } # a line of the ledger

# tool/lib/test/unit.rb with -v -j2
unit() { # unit RESULT COUNTS [REPORT]
	printf '# Running tests:\n\nA::TestX#test_a = 0.10 s = .\nnoise TestY#test_b = 0.00 s = %s\n' "$1"
	printf 'TestY#"test_c d" = 0.01 s = .\nTestZ#test_s = 0.00 s = S\nFinished tests in 0.5s, 8 tests/s, 2 assertions/s.\n'
	printf '%s\n%s\n\nruby -v: ruby 3.4.5\n' "${3-}" "$2"
}
unit . "4 tests, 9 assertions, 0 failures, 0 errors, 1 skips" >pass
failure='
  1) Failure:
TestY#test_b [/b/test/test_y.rb:12]:
<1> expected but was [2]:.
'
unit F "4 tests, 9 assertions, 1 failures, 0 errors, 1 skips" "$failure" >fail
tally test-all 0 pass
is "$rc" 0 "test-unit: a log without failures passes"
field tests 4 "4 tests"; field skips 1 "1 skip"; field seconds 7 "the seconds"; field uid 65534 "the user"
field variant patched "the variant"; field verdict passed "the verdict"
is "$(tr -d ' \n' <test-all.json)" '{"suite":"test-all","release":"ruby-3.4","variant":"patched","level":"full","verdict":"passed","tests":4,"failures":0,"errors":0,"skips":1,"seconds":7,"uid":65534,"excluded":[],"flaky":[],"failed":[],"problems":[]}' "the same as JSON"
tally test-all 2 fail
is "$rc$out" "3TestY#test_b	" "a failure is to be run again: exit status 3 and its name"
is "$txt" "" "and no summary as yet"
tally test-all 2 fail pass
is "$rc" 0 "it passed when run again: the suite passes"
like "$txt" "^flaky: 1$" "with one flaky test"; like "$out" "flaky, passed alone: TestY#test_b" "that is named"
tally test-all 2 fail fail
is "$rc" 1 "it failed again: the suite fails"
like "$out" "failed, and again alone: TestY#test_b" "and names it"; like "$txt" "^  TestY#test_b$" "in the summary too"
: >nothing
tally test-all 2 fail nothing
is "$rc" 1 "a second run that broke off is no success"
unit . "0 tests, 0 assertions, 0 failures, 0 errors, 0 skips" >none
tally test-all 2 fail none
is "$rc" 1 "neither is one that ran no test"
unit E "4 tests, 9 assertions, 0 failures, 1 errors, 1 skips" '
  1) Error:
TestY#test_b:
RuntimeError: x' >error
tally test-all 2 error
is "$rc$out" "3TestY#test_b	" "an error has a name"
unit F "4 tests, 9 assertions, 0 failures, 0 errors, 1 skips" >lost
tally test-all 0 lost
is "$rc$out" "3TestY#test_b	" "a failure whose report the runner lost is seen in its line of -v"
tally test-all 0 lost lost
is "$rc" 1 "and fails the suite"; field failures 1 "and is counted"
unit . "4 tests, 9 assertions, 0 failures, 0 errors, 1 skips" | sed '/test_c d/s/\.$/E/' >quoted
tally test-all 0 quoted
is "$rc$out" "3TestY#test_c d	" "so is one whose name stands in quotes"
unit . "4 tests, 9 assertions, 0 failures, 1 errors, 1 skips" >nameless
tally test-all 2 nameless
is "$rc" 1 "an error without a test's name fails the suite"; like "$out" "1 failures and errors, but only 0 with" "and says so"
tally test-all 2 pass
is "$rc" 1 "an exit status without a failed test fails the suite"; like "$out" "exit status 2 though no test failed" "and says so"
sed '/^4 tests/,$d' pass >crash
tally test-all 1 crash
is "$rc" 1 "a log without the closing line fails"; like "$out" "0 closing lines of 1 runners" "and says so"
cat pass crash >half
tally test-all 1 half
is "$rc" 1 "also if another runner closed properly"
tally test-all 0 none
is "$rc" 1 "no test is no success"; like "$out" "ran 0 tests; 3 are the recorded minimum" "and says so"
unit . "2 tests, 9 assertions, 0 failures, 0 errors, 0 skips" >few
tally test-all 0 few
is "$rc" 1 "nor are fewer than the minimum"
{ echo "# Running:"; i=0; while [ $((i += 1)) -le 21 ]; do printf '\n  %s) Failure:\nT#t%s [x:1]:\nm\n' $i $i; done
	echo "30 runs, 1 assertions, 21 failures, 0 errors, 0 skips"; } >many
tally test-all 1 many
is "$rc" 1 "21 failures are not run again"; field failed 21 "but all named"
sed '/T#t21 /d; s/21 failures/20 failures/; s/^  21).*//' many >twenty
tally test-all 1 twenty
is "$rc$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 320 "20 are"

# The ledger.
line test-all TestY#test_b any "a reason" >ledger
tally test-all 2 fail
is "$rc" 0 "a failure that the ledger expects does not fail the suite"
like "$txt" "^  TestY#test_b: a reason$" "and is named as excluded, with the reason"
tally test-all 0 pass
is "$rc" 1 "if it passes, the line is stale"; like "$out" "stale ledger line: did not fail: TestY#test_b" "and named"
line test-all TestY#test_b any,may "a reason" >ledger
tally test-all 0 pass; is "$rc" 0 "unless it may fail"
line test-all TestY#test_gone any "a reason" >ledger
tally test-all 0 pass
is "$rc" 1 "a line that matches no test is stale"; like "$out" "no test ran that is named TestY#test_gone" "and named"
line test-all TestY any "a reason" >ledger
tally test-all 0 pass; is "$rc" 1 "and one that is not even a test's name"
level=core; tally test-all 0 pass; is "$rc" 0 "except at a level that leaves tests out"; level=full
line test-all TestX#test_a any,root "a reason" >ledger
tally test-all 0 pass; is "$rc" 1 "TestX is not A::TestX"
line test-all "TestY#test_c d" any,root "a reason" >ledger
tally test-all 0 pass; is "$rc" 0 "a quoted name is found; a line for root says nothing of another user's pass"
line test-all TestY#test_b any,root "a reason" >ledger
tally test-all 2 fail; is "$rc" 3 "nor does it excuse another user's failure"
uid=0; tally test-all 2 fail; is "$rc" 0 "as root it does"; uid=65534
for condition in no-ip6-name no-ip6-localhost offline no-route no-alarm-clock; do
	line test-all TestY#test_b any,$condition "a reason" >ledger
	tally test-all 2 fail; expected=$rc
	tally test-all 0 pass
	case $expected$rc in 01 | 30) result 0 "$condition: holds or does not" ;; *) result 1 "$condition: holds or does not" "$expected$rc" ;; esac
done
line test-all TestY#test_b any,no-route,offline "a reason" >ledger
if unshare -rn true 2>/dev/null; then
	# the leak check of the sanitizer wants a /proc of the same user
	run env ASAN_OPTIONS=detect_leaks=0 unshare -rn ./tally -s test-all -f unit -r ruby-3.4 -l full -V stock -u 1 -x 2 -t 1 -d . -o . fail
	is "$rc" 0 "without network, both of its conditions hold"
else skip "without network, both of its conditions hold" "no unshare -n"; fi
line test-all TestY#test_gone ruby-3.3 "a reason" >ledger
tally test-all 0 pass; is "$rc" 0 "a line for another release is left alone"
line test-all TestY#\* any,stock "a reason" >ledger
tally test-all 0 pass; is "$rc" 0 "a patched build need not fail what stock must"
variant=stock; tally test-all 2 fail
is "$rc" 1 "a stock one must fail each test of the class"; variant=patched
for bad in "test-all x any" "nosuch	x	any	r" "test-all	x	ruby-9.9	r" "test-all	x	any,moon	r" "test-all		any	r"; do
	printf '%s\n' "$bad" >ledger; tally test-all 0 pass
	is "$rc" 2 "a line that is not understood: $bad"; like "$out" "ledger:1: " "its number is told"
done
: >ledger
run ./tally -s test-all -f unit -r ruby-9.9 -l full -V stock -u 1 -x 0 -t 1 -d . -o . pass
is "$rc" 2 "a suite without a minimum is an error"

# bootstraptest/runner.rb -v and what else `make test` runs
btest() { # btest RESULT CLOSING [REPORT]
	printf 'Target is ruby\n#1 test_io.rb:3 . 0.01\n#2 test_io.rb:9 %s 0.01\n#3 test_gc.rb:2 . 0.1\nFinished in 1.00 sec\n\n%s\n%s\n' "$1" "${3-}" "$2"
}
rest='Target is ruby
No tests, no problem
Checking leaked global symbols...none
test succeeded'
{ btest . "PASS all 3 tests"; echo "$rest"; } >pass
tally test 0 pass
is "$rc" 0 "btest passes"; field tests 5 "three assertions and two checks"
btest . "PASS all 3 tests" >broken
tally test 0 broken; is "$rc" 1 "without its two checks it fails"
{ btest . "PASS all 3 tests"; echo "$rest" | sed 's/^test succ.*/test failed/'; } >basic
tally test 2 basic; is "$rc$out" "3test-basic	" "test-basic may fail"
{ btest . "PASS all 3 tests"; echo "$rest" | sed 's/none/leaked/'; } >leaked
tally test 2 leaked; is "$rc$out" "3leaked-globals	" "and leaked-globals"
{ btest F "FAIL 1/3 tests failed" '#2 test_io.rb:9:
   x #=> "1" (expected "2")'; echo "$rest"; } >fail
tally test 2 fail; is "$rc$out" "3test_io.rb:9	test_io.rb" "a failure has a line and a file"
tally test 2 fail fail; is "$rc" 1 "and fails the suite if it does so twice"
btest . "PASS all 3 tests" >again
tally test 2 fail again; is "$rc" 0 "but not if its file passes alone"
line test test_io.rb:9 any "a reason" >ledger
tally test 2 fail; is "$rc" 0 "the ledger covers it"
tally test 0 pass; is "$rc" 1 "and is stale when it passes"
: >ledger

# mspec -fs
mspec() { # mspec RESULT COUNTS [REPORT]
	printf 'ruby 3.4.5\n\nString#[] with index\n- returns nil\nnoise\n- raises%s\n\nString#|\n- returns nil\n\n%s\n\nFinished in 1.0 seconds\n\n%s\n' "$1" "${3-}" "$2"
}
mspec "" "2 files, 3 examples, 9 expectations, 0 failures, 0 errors, 0 tagged" >pass
tally test-spec 0 pass; is "$rc" 0 "mspec passes"; field tests 3 "3 examples"
report='1)
An exception occurred during: before :each
String#[] with index raises ERROR
RuntimeError: x
/b/spec/ruby/core/string/shared/slice.rb:1:in x
/b/spec/ruby/core/string/slice_spec.rb:3:in y'
mspec " (ERROR - 1)" "2 files, 3 examples, 9 expectations, 0 failures, 1 error, 0 tagged" "$report" >fail
tally test-spec 1 fail
is "$rc$out" "3String#[] with index raises	/b/spec/ruby/core/string/slice_spec.rb" "an error has its description and file"
tally test-spec 1 fail pass; is "$rc" 0 "which may pass alone"
line test-spec "String#[] with index raises" any "a reason" >ledger
tally test-spec 1 fail; is "$rc" 0 "the ledger covers it"
tally test-spec 0 pass; is "$rc" 1 "and is stale when it passes"
line test-spec "String#| raises" any,root "a reason" >ledger
tally test-spec 0 pass; is "$rc" 1 "an example of one description is not taken for another's"
line test-spec "String#| returns nil" any,root "a reason" >ledger
tally test-spec 0 pass; is "$rc" 0 "and is found where it is"
: >ledger
sed '/examples/d' pass >crash
tally test-spec 139 crash; is "$rc" 1 "mspec without its closing line fails"; like "$out" "exit status 139" "and tells the exit status"
finish
