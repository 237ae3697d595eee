#!/bin/sh
# tests/stage/run, on a build tree whose Makefile prints logs in place of
# running tests.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 1
pkg-config --exists jansson || { echo "1..0 # SKIP no libjansson-dev"; exit 0; }
mkdir -p tests/embed tree
cp -R "$top/tests/stage" tests
cat >tests/stage/suites <<'END'
test ruby-3.4 full 5
test-tool ruby-3.4 full 1
test-all ruby-3.4 full 3
test-all ruby-3.4 core 1
test-spec ruby-3.4 full 2
embed ruby-3.4 full 1
END
: >tests/stage/ledger
cat >tests/embed/run <<'END'
#!/bin/sh
printf '# Running:\n\nE#test_e = 0.0 s = .\n\n1 runs, 1 assertions, 0 failures, 0 errors, 0 skips\n'
END
chmod +x tests/embed/run
cat >tree/Makefile <<'END'
yes-test-spec-precheck test-tool test-all test-spec test btest-ruby test-basic:
	@sh ./runner $@ $(TESTOPTS) $(SPECOPTS) $(BTESTS) $(TESTS)
.PHONY: yes-test-spec-precheck test-tool test-all test-spec test btest-ruby test-basic
END
touch tree/prog
# How often a suite fails: `failures` holds lines "SUITE TIMES".
cat >tree/runner <<'END'
echo "$*" >>"$0.calls"
env >"$0.env"
id -u >"$0.uid"
fails() {
	n=$(sed -n "s/^$1 //p" failures)
	[ "${n:-0}" -gt 0 ] || return 1
	sed "s/^$1 .*/$1 $((n - 1))/" failures >left && cat left >failures
}
case $1 in
btest-ruby | test) suite=test ;;
*) suite=$1 ;;
esac
case $suite in
test)
	printf 'Target is x\n#1 test_a.rb:1 . 0.1\n#2 test_a.rb:2 . 0.1\n#3 test_b.rb:7 '
	if fails test; then
		printf 'F 0.1\nFinished in 0.1 sec\n\n#3 test_b.rb:7: \n\nFAIL 1/3 tests failed\n'
		exit 1
	fi
	printf '. 0.1\nFinished in 0.1 sec\n\nPASS all 3 tests\n'
	[ "$1" = btest-ruby ] || sh "$0" test-basic ;;
test-basic) printf 'Checking leaked global symbols...none\ntest succeeded\n' ;;
test-tool | test-all)
	printf '# Running tests:\n\nA#test_a = 0.0 s = .\nA#test_b = 0.0 s = .\nA#test_c = 0.0 s = '
	if fails "$1"; then
		printf 'F\n\n  1) Failure:\nA#test_c [/x/test_a.rb:1]:\nno\n\n3 tests, 9 assertions, 1 failures, 0 errors, 0 skips\n'
		exit 1
	fi
	printf '.\n3 tests, 9 assertions, 0 failures, 0 errors, 0 skips\n' ;;
test-spec)
	printf '\nX#a\n- is true\n- is false'
	if fails test-spec; then
		printf ' (ERROR - 1)\n\n1)\nX#a is false ERROR\nno\n/x/a b_spec.rb:3:in y\n\n1 file, 2 examples, 2 expectations, 0 failures, 1 error, 0 tagged\n'
		exit 1
	fi
	printf '\n\n1 file, 2 examples, 2 expectations, 0 failures, 0 errors, 0 tagged\n' ;;
esac
END
chmod -R a+rwX tree
# stage FAILURES [OPTION...] [SUITE...]: sets out and rc
stage() {
	printf '%s\n' "$1" >tree/failures; shift
	: >tree/runner.calls
	run tests/stage/run -r ruby-3.4 -b tree -o report "$@"
}
all="test 0
test-tool 0
test-all 0
test-spec 0"

owner=$(stat -c %u:%g tree)
LD_LIBRARY_PATH=x RUBYOPT=-w http_proxy=x MAKEFLAGS=k stage "$all" -j 3
is "$rc" 0 "all suites pass"
like "$out" "^stage: passed: test test-tool embed test-spec test-all$" "and are named"
is "$(for s in test test-tool embed test-spec test-all; do sed -n 's/^tests: //p' "report/$s.txt"; done | tr '\n' ' ')" "5 3 1 2 3 " "each has a summary"
is "$(cat report/*.json | grep -c '"suite":')" 5 "and one in JSON"
is "$(stat -c %u:%g tree tree/runner.calls | uniq)" "$owner" "the tree goes back to its owner"
is "$(grep -cE '^(LD_LIBRARY_PATH|RUBYOPT|http_proxy|GEM_HOME|RUBY)=' tree/runner.env)" 0 "the caller's variables do not reach the tests"
is "$(sed -n 's/^LANG=//p' tree/runner.env)" C.UTF-8 "the locale is a UTF-8 one"
home=$(sed -n 's/^HOME=//p' tree/runner.env)
if [ "${#home}" -lt 30 ] && [ ! -e "$home" ]; then result 0 "HOME is short and gone"; else result 1 "HOME is short and gone" "$home"; fi
like "$(cat tree/runner.calls)" "^test-all -v -j3 --no-retry" "test-all uses the jobs given, and not its own retry"
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=1 --clear-groups true 2>/dev/null; then
	is "$(cat tree/runner.uid)" "$(id -u nobody)" "root's tests run as nobody"
	like "$(cat report/test.txt)" "^uid: $(id -u nobody)$" "which the summary tells"
	mkdir closed && cp -a tree closed && chmod 700 closed
	run tests/stage/run -r ruby-3.4 -b closed/tree -o report test-tool
	is "$rc" 0 "a tree that nobody cannot reach is tested"
	like "$out" "in a copy of $work/closed/tree" "as a copy, and it says so"
	mkdir -p bin && printf '#!/bin/sh\nexit 1\n' >bin/setpriv && chmod +x bin/setpriv
	run env PATH="$work/bin:$PATH" tests/stage/run -r ruby-3.4 -b tree -o report test-tool
	is "$rc" 0 "where users cannot be changed, the tests run too"
	like "$out" "cannot change users: the tests run as root" "and it says so"
	like "$(cat report/test-tool.txt)" "^uid: 0$" "in the summary too"
else
	skip "root's tests run as nobody" "not root"
fi

stage "test-all 2"
is "$rc" 1 "a test that fails twice fails the run"
like "$out" "test-all: failed, and again alone: A#test_c" "and is named"
like "$out" "failed: test-all; logs and summaries are in $work/report" "so is the place of the logs"
like "$(cat tree/runner.calls)" "^test-all -v -n A#test_c$" "it was run again by its name"
stage "test-all 1"
is "$rc" 0 "one that fails once does not"
like "$(cat report/test-all.txt)" "^  A#test_c$" "but the summary names it"
stage "test-spec 1" test-spec
is "$rc" 0 "an example that fails once does not either"
like "$(cat tree/runner.calls)" "^test-spec -fs /x/a b_spec.rb$" "its file was run again"
stage "test-spec 2" test-spec
is "$rc" 1 "twice, it does"
stage "test 1" test
is "$rc" 0 "nor does one of btest that fails once"
like "$(cat tree/runner.calls)" "^btest-ruby -v bootstraptest/test_b.rb$" "its file was run again"
stage "test 2" test
is "$rc" 1 "twice, it does"; like "$out" "failed, and again alone: test_b.rb:7" "and is named"
printf 'test-all\tA#test_c\tany\ta reason\n' >tests/stage/ledger
stage "test-all 1" test-all
is "$rc" 0 "an expected failure passes"; like "$out" "excluded: A#test_c: a reason" "and is named with its reason"
stage "test-all 0" test-all
is "$rc" 1 "an expected failure that passes fails the run"; like "$out" "stale ledger line" "and says why"
: >tests/stage/ledger

stage "$all" -l core test-all
is "$rc" 0 "level core runs"; like "$(cat tree/runner.calls)" "^test-all .* -- ruby/test_string.rb .* rubygems$" "a part of test-all"
stage "$all" -l none
is "$rc" 0 "level none"; like "$out" "level none: no test is run" "says that it runs nothing"; is "$(cat tree/runner.calls)" "" "and runs nothing"
sed -i 's/^test-tool .*/test-tool ruby-3.4 full 4/' tests/stage/suites
stage "$all" test-tool
is "$rc" 1 "fewer tests than the minimum fail the run"; like "$out" "ran 3 tests; 4 are the recorded minimum" "and it says so"

# What cannot be run.
rm tree/prog
stage "$all" test
is "$rc" 2 "a tree that is not built"; like "$out" "the tree is not built" "says so"
touch tree/prog
for bad in "-l some" "-V new" "-r perl-5" "-r puma-6.6" "-b absent" "-x" "nosuchsuite"; do
	# shellcheck disable=SC2086 # options
	stage "$all" $bad; is "$rc" 2 "refused: $bad"
done

# A signal ends the suite, gives the tree back and leaves nothing behind.
cat >tree/runner <<'END'
env >"$0.env"
trap '' TERM # as mspec, which takes the signal for a failure
sleep 600 & echo $$ $! >>"$0.pids"
wait
wait
END
: >tree/runner.pids
sed -i 's/^yes-test-spec-precheck /all /' tree/Makefile
printf 'yes-test-spec-precheck:\n' >>tree/Makefile
tests/stage/run -r ruby-3.4 -b tree -o report test-tool test-spec >killed.out 2>&1 & pid=$!
n=0
until [ "$(wc -l <tree/runner.pids)" -eq 2 ] || [ $((n += 1)) -gt 100 ]; do sleep 0.1; done
kill "$pid"
wait "$pid"
is "$?" 143 "ended by a signal"
is "$(wc -l <tree/runner.pids)" 2 "two suites ran side by side"
# shellcheck disable=SC2046 # process ids; a killed one may take a moment
running() { ps -o stat= -p $(tr ' ' '\n' <tree/runner.pids | paste -sd, -) | grep -cv '^Z'; }
n=0
until [ "$(running)" -eq 0 ] || [ $((n += 1)) -gt 30 ]; do sleep 0.1; done
is "$(running)" 0 "no test is left running, not even one that ignores the signal"
is "$(stat -c %u:%g tree tree/Makefile | uniq)" "$owner" "the tree is its owner's again"
home=$(sed -n 's/^HOME=//p' tree/runner.env)
is "$(ls -d "${home%/*}" 2>/dev/null)" "" "no temporary folder is left"
finish
