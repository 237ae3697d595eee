#!/bin/sh
# patchset status and check: trees of a few lines, faulty input, and the real
# releases, as far as an origin answers.  What a verdict must be follows from
# how each tree was written, and what applies is tried with patch(1).
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
tree=$PWD
patchset=$tree/src/patchset
cd "$work" || exit 1
# shellcheck source=tests/tools/patchset-repo.sh
. "$top/tests/tools/patchset-repo.sh"

check() { run "$patchset" -C repo check new thing/1; }
# expect CODE HUNK-OR-FILE VERDICT NAME: the exit code, and the line of a hunk.
expect() {
	check
	is "$rc" "$1" "$4: exit code $1"
	like "$out" "^    $2  *$3" "$4: $3"
}
applies() { # whether patch(1) at fuzz 0 takes the series on new/
	rm -rf tried && cp -R new tried
	(cd tried && patch -p1 -F0 --dry-run -s <../repo/patches/thing/1/one.patch >/dev/null 2>&1) && echo yes || echo no
}

# The tree: two tables, three functions of which two are equal, one for Ruby.
table() { # table NAME ROW...
	echo "static const struct row $1[] = {"
	shift
	for name; do echo "    { \"$name\", ROW_$name },"; done
	echo "};"
	echo
}
fill() { # fill NAME VARIABLE: a function
	printf 'static int\n%s(int %s)\n{\n    int sum = 0;\n    for (int i = 0; i < %s; i++) {\n        sum += weight(i);\n    }\n    return sum;\n}\n\n' "$1" "$2" "$2"
}
filler() { i=0; while [ $i -lt "$1" ]; do echo "/* filler $i */"; i=$((i + 1)); done; }
base() {
	printf '/* thing */\n#include "thing.h"\n\n'
	table colours red green blue cyan pink brown
	table shapes round square flat
	fill first count
	fill second count
}
rm -rf old && mkdir old && base >old/thing.c
ours() { rm -rf ours && cp -R old ours; }
new() { rm -rf new && cp -R old new; }
row='    { "gold", ROW_gold },'

# Clean, and where it moved to.
ours; sed -i "/ROW_green/a\\$row" ours/thing.c; series
new; expect 0 thing.c#1 clean "the same tree"
new; { filler 500; cat old/thing.c; } >new/thing.c
expect 10 thing.c#1 "offset 500 .*line 504" "500 lines further down"
is "$(applies)" yes "patch(1) agrees"
new; sed -i '1d' new/thing.c; expect 10 thing.c#1 "offset -1 " "a line further up"

# Merged, by the count of lines in the same table.
cp -R ours merged; rm -rf new; mv merged new
expect 11 thing.c#1 "merged .*1 of 1 added lines there" "upstream has the row at the same place"
new; sed -i "/ROW_brown/a\\$row" new/thing.c
is "$(applies)" yes "a row that upstream put elsewhere in the table: patch(1) would add it twice"
expect 11 thing.c#1 merged "that row"
new; sed -i "/ROW_square/a\\$row" new/thing.c; expect 0 thing.c#1 clean "the same row in another table"
new; sed -i "s/^    for/    sum = 0;\\n&/; /ROW_brown/a\\$row" new/thing.c
expect 11 thing.c#1 merged "the row elsewhere, and other changes"
ours; sed -i "/ROW_green/a\\$row\\n    { \"grey\", ROW_grey }," ours/thing.c; series
new; sed -i "/ROW_brown/a\\$row" new/thing.c
expect 11 thing.c#1 "partly merged" "one of two rows is there"
like "$out" "1 of 2 added lines there" "one of two rows is counted"

# Two changes in one hunk, of which upstream has one.
ours; sed -i '/^first/,/^}/{s/int sum = 0/long sum = 0/;s/return sum;/return (int)sum;/}' ours/thing.c; series
new; sed -i '/^first/,/^}/s/int sum = 0/long sum = 0/' new/thing.c
expect 11 thing.c#1 "partly merged .*1 of 2 added lines there, 1 of 2 removed lines gone" "half of a hunk"

# The same intent in other words.
ours; sed -i '/^first/,/^}/s/sum += weight(i);/sum += weight_cached(table_of(i));/' ours/thing.c; series
new; sed -i '/^first/,/^}/s/sum += weight(i);/sum += weight_cached(i, FAST);/' new/thing.c
expect 11 thing.c#1 "near merge" "another use of the function that we bring in"
like "$out" "sum += weight_cached(table_of(i)); *| *sum += weight_cached(i, FAST);" "ours and upstream's stand side by side"
new; sed -i '/^first/,/^}/s/sum += weight(i);/abort();/' new/thing.c
expect 12 thing.c#1 conflict "upstream changed the line to something else"

# Equal functions.
ours; sed -i '/^first/,/^}/s/weight(i)/weight(i) * 2/' ours/thing.c; series
new; { filler 3; cat old/thing.c; } >new/thing.c
expect 10 thing.c#1 "offset 3 " "two equal functions, both moved"
new; sed -i '/^first/,/^}/s/int sum = 0/unsigned sum = 0/;/^first/,/^}/s/return sum/return (int)sum/' new/thing.c
check
is "$(printf '%s\n' "$out" | grep -c 'thing.c#1 *offset')" 0 "upstream changed the right one: the other is not taken for it"
like "$out" "thing.c#1 .*\\(fuzz\\|conflict\\)" "but fuzz or conflict is said"
rm -rf tried && cp -R new tried
(cd tried && patch -p1 -s <../repo/patches/thing/1/one.patch >/dev/null 2>&1)
like "$(sed -n '/^second/,/^}/p' tried/thing.c)" "weight(i) \\* 2" "patch(1) puts it into the wrong one"
new; sed -i '/^first/,/^}/d' new/thing.c
check
is "$rc" 13 "upstream took the function away: exit code 13"
like "$out" "thing.c#1 *not applicable *first, which it changes, is not in thing.c" "the reason names it"

# Other differences.
new; sed -i '/^first/,/^}/s/^    int sum = 0/    int total = 0/' new/thing.c
expect 10 thing.c#1 "fuzz [12] .*never applied" "a renamed variable at the far end of the context"
new; sed -i 's/^    /\t/; s/^\t    /\t\t/' new/thing.c
expect 12 thing.c#1 "conflict *only white space differs" "indented with tabs"
new; sed -i 's/$/\r/' new/thing.c
expect 12 thing.c#1 "conflict *only the line ends differ (CRLF)" "CRLF in the new tree alone"
sed -i 's/$/\r/' old/thing.c; ours; sed -i '/^first/,/^}/s/weight(i)/weight(i) * 2/' ours/thing.c; series
new; expect 0 thing.c#1 clean "CRLF in both, and in the patch"
base >old/thing.c
ours; sed -i '/^second/,/^}/s/weight(i)/weight_cached(i)/; s/sum += weight(i);/&/' ours/thing.c; series
new; sed -i "/^first/,/^}/s/weight(i)/weight_cached(i)/" new/thing.c
expect 0 thing.c#1 clean "the same line in another function only"

# Files that come, go and get another name; a last line without an end.
printf 'one\ntwo\nthree' >old/list.txt
ours; printf 'one\n2\nthree' >ours/list.txt; series
new; expect 0 list.txt#1 clean "no newline at the end"
new; printf 'one\ntwo\nthree\n' >new/list.txt
check; is "$rc" 10 "upstream ended the last line: exit code 10"
like "$out" "list.txt#1 *fuzz" "it does not fit as it is"
rm old/list.txt
ours; echo data >ours/extra.txt; series
new; expect 0 extra.txt#1 clean "a new file"
cp ours/extra.txt new/; expect 11 extra.txt "merged *extra.txt is there, with the same content" "upstream has the file"
echo other >new/extra.txt; expect 12 extra.txt "conflict *extra.txt is there already, with other content" "another file of that name"
echo data >old/extra.txt; ours; rm ours/extra.txt; series
new; expect 0 extra.txt#1 clean "a deleted file"
rm new/extra.txt; expect 11 extra.txt "merged *extra.txt is gone" "upstream deleted it"
echo more >new/extra.txt; expect 12 extra.txt "conflict .*other content" "it has other content now"
ours; git_series 'mv extra.txt renamed.txt'
new; expect 0 renamed.txt clean "a rename"
mv new/extra.txt new/renamed.txt; expect 11 renamed.txt "merged *extra.txt has the name renamed.txt already" "upstream renamed it"
new; cp new/extra.txt new/renamed.txt; expect 12 renamed.txt "conflict .*is there already" "another file has that name"
new; rm new/extra.txt; expect 13 renamed.txt "not applicable *extra.txt is not there" "there is no such file"
mkdir new/sub; echo data >new/sub/extra.txt; tar -czf new.tar.gz new
run "$patchset" -C repo check new.tar.gz thing/1
like "$out" "extra.txt is not there (but sub/extra.txt is)" "a file of that name in another folder is named"
rm old/extra.txt

# A file of Ruby.
printf 'class Thing\n  def first\n    load\n    work\n    done\n  end\n\n  def second\n    load\n    work\n    done\n  end\nend\n' >old/thing.rb
ours; sed -i '3,6s|work|work(1)|' ours/thing.rb; series
new; sed -i '2,6d' new/thing.rb
check; is "$(printf '%s\n' "$out" | grep -c -e 'thing.rb#1 *clean' -e 'thing.rb#1 *offset')" 0 "an equal method is not taken for the one that is gone"
rm old/thing.rb

# Two patches, the second on what the first made.
ours; sed -i "/ROW_green/a\\$row" ours/thing.c; series
rm -rf between; cp -R ours between; sed -i 's/ROW_gold/ROW_GOLD/' ours/thing.c
diff -u --label a/thing.c --label b/thing.c between/thing.c ours/thing.c >repo/patches/thing/1/two.patch
echo two.patch >>repo/patches/thing/1/series
new; check; show
is "$rc:$(printf '%s\n' "$out" | grep -c '#1 *clean')" "0:2" "a series is judged patch after patch"
run "$patchset" -C repo check --json new thing/1
is "$rc" 0 "--json has the same exit code"
is "$(printf '%s\n' "$out" | ruby -rjson -e 'r = JSON.parse($stdin.read); puts [r["verdict"], r["patches"].map { |p| [p["patch"], p["files"][0]["hunks"][0]["verdict"]] }].flatten.join(" ")')" \
	"clean one.patch clean two.patch clean" "and the same verdicts"
rm -f repo/patches/thing/1/two.patch

# The forms of a tree.
ours; sed -i "/ROW_green/a\\$row" ours/thing.c; series; new
sed -i 1d new/thing.c
for form in gz xz bz2 zstd; do
	tar -c --$form -f "new.tar.$form" new 2>/dev/null || case $form in gz) tar -czf new.tar.gz new ;; bz2) tar -cjf new.tar.bz2 new ;; esac
	run "$patchset" -C repo check "new.tar.$form" thing/1
	is "$rc:$(printf '%s\n' "$out" | grep -c 'offset -1 ')" 10:1 "a tarball: $form"
done
(cd new && tar -czf ../data.tar.gz ./*)
echo --- | gzip >metadata.gz
tar -cf thing-2.0.gem metadata.gz data.tar.gz
run "$patchset" -C repo check thing-2.0.gem
is "$rc:$(printf '%s\n' "$out" | grep -c 'offset -1 ')" 10:1 "a gem; the series is found by its name"
is "$(find repo dist -newer metadata.gz)" "" "nothing was written"
new; head -c 200 new.tar.xz >cut.tar.xz
bad() { # bad NAME PATTERN ARGUMENT...
	name=$1 pattern=$2; shift 2
	run "$patchset" -C repo "$@"
	is "$rc" 2 "$name: exit code 2"
	like "$out" "^patchset: .*$pattern" "$name: says what"
	one_line "$name: said"
}
bad "a cut tarball" "cannot read cut.tar.xz" check cut.tar.xz thing/1
echo text >text.tar.gz; bad "no tarball" "cannot read text.tar.gz" check text.tar.gz thing/1
bad "no file" "cannot read absent-1.0.tar.gz: No such file" rebase absent-1.0.tar.gz
bad "no file" "cannot read absent.tar.gz: No such file" check absent.tar.gz
bad "no file" "cannot read absent.tar.gz: No such file" check absent.tar.gz thing/1
bad "no value" "check: --old needs a value" check --old
bad "an empty name" "cannot read ''" check ""
mkdir -p older && sed 1d old/thing.c >older/thing.c
bad "--old of another release" "--old older is not the release that thing/1 was made for: one.patch does not apply there as it is (offset)" check --old older new thing/1
run "$patchset" -C
is "$rc:$out" "2:patchset: -C: name the checkout after it; patchset --help" "-C alone"
run "$patchset" -C "$work" status
is "$rc" 2 "-C names no checkout: exit code 2, and no other place is taken"
like "$out" "no folder with upstream/ and patches/ at $work or above" "it says so"
bad "an unknown series" "no series thing/9; there are thing/1" check new thing/9
cp new.tar.gz other-1.0.tar.gz
bad "an unknown package" "no series for the package of other-1.0.tar.gz (other)" check other-1.0.tar.gz
bad "no tarball named" "which tarball?" check
bad "an unknown option" "what is --forse here" check --forse
bad "an unknown command" "no such command: chekc" chekc
mkdir -p evil/a
echo x >evil/a/file
tar -C evil -cf dots.tar --transform='s,a/file,a/../../out,' a; bad "a path with .." "leaves the root" check dots.tar thing/1
tar -C evil -Pcf slash.tar --transform='s,a/file,/etc/out,' a; bad "an absolute path" "leaves the root" check slash.tar thing/1
mkdir -p link; ln -sf /etc/passwd link/thing.c; tar -cf link.tar link
bad "a link in a file's place, in a tarball" "is a link" check link.tar thing/1
bad "a link in a file's place, in a folder" "is a link" check link thing/1
cp dist/thing-1.0.tar.gz keep.tar.gz; echo more >>dist/thing-1.0.tar.gz
bad "another hash than the pin's" "SHA-256 is .*, the pin says" check new thing/1
rm dist/thing-1.0.tar.gz; check
is "$rc" 0 "without the old tarball the verdict comes from the patch alone"
like "$out" "no tarball of thing 1.0.*judged from the patches alone" "and that is said"
mv keep.tar.gz dist/thing-1.0.tar.gz

# Faulty patches: one line each, with the number of the line.
good=$(cat repo/patches/thing/1/one.patch)
faulty() { # faulty TEXT NAME PATTERN
	printf -- "$1" >repo/patches/thing/1/one.patch
	bad "$2" "one.patch: line [0-9]*: .*$3" check new thing/1
}
head='--- a/thing.c\n+++ b/thing.c\n'
faulty "$head"'@@ -1,3 +1,3 @@\n one\n-two\n' "a hunk that is cut off" "the hunk is cut off"
faulty "$head"'@@ -1,2 +1,2 @@\n one\n-two\n+2\n three\n' "too small a count" "more lines than the header"
faulty "$head"'@@ -1,9 +1,9 @@\n one\n-two\n+2\n three\n--- a/x\n' "too large a count" "the hunk is cut off"
faulty "$head"'@@ -1,3 +1,1 @@\n one\n-two\n+2\n three\n' "a wrong new count" "wrong counts"
faulty "$head"'@@ -99999999999999999999,1 +1,1 @@\n-one\n+1\n' "a huge line number" "not the header of a hunk"
faulty "$head"'@@ -1,18446744073709551615 +1,1 @@\n-one\n+1\n' "a huge count" "not the header of a hunk"
faulty "$head"'@@ -0,1 +1,1 @@\n-one\n+1\n' "line 0 of a file with lines" "not the header of a hunk"
faulty "$head"'@@ one two @@\n-one\n+1\n' "no numbers" "not the header of a hunk"
faulty "$head"'@@' "the begin of a header" "not the header of a hunk"
faulty "$head"'@@ -1,1 +1,1 @@\n one\n' "a hunk without a change" "changes nothing"
faulty "$head"'@@ -1,1 +1,1 @@\n-o\0ne\n+1\n' "a NUL byte" "a NUL byte"
faulty "$head"'@@ -1,1 +1,1 @@\n-one\n+1' "the end in the middle of a line" "ends in the middle of a line"
faulty "$head"'@@ -5,1 +5,1 @@\n-one\n+1\n@@ -2,1 +2,1 @@\n-two\n+2\n' "hunks that are not in order" "not in order"
faulty "$head"'@@ -1,2 +1,2 @@\n-one\n\\ No newline at end of file\n-two\n+1\n+2\n' "lines after a last line" "follow its last one"
faulty "$head" "no hunk" "no hunk follows"
faulty '--- a/thing.c\n' "half of a file's header" "no line with +++"
faulty '@@ -1,1 +1,1 @@\n-one\n+1\n' "a hunk without a file" "a hunk before the name"
faulty '--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1,1 +1,1 @@\n-one\n+1\n' "a file outside of the tree" "leaves the source tree"
faulty '--- /dev/null\n+++ /dev/null\n@@ -0,0 +1,1 @@\n+1\n' "no file at all" "both files are /dev/null"
faulty '--- /dev/null\n+++ b/x\n@@ -1,1 +1,1 @@\n-0\n+1\n' "a new file with old lines" "/dev/null has no lines"
faulty 'diff --git a/x b/x\nGIT binary patch\nliteral 1\n' "a binary patch" "binary patch"
faulty 'Description: none\n' "a header alone" "no diff in it"
faulty '' "an empty file" "no diff in it"
faulty '--- a/thing.c\r\n+++ b/thing.c\r\n@@ -1,1 +1,1 @@\r\n-one\r\n+1\r\n' "CRLF in the patch itself" "CRLF line ends; convert it to LF"
printf '%s\n' "$good" >repo/patches/thing/1/one.patch
printf 'one.patch\n\none.patch\n' >repo/patches/thing/1/series; bad "a patch twice in series" "names one.patch twice" check new thing/1
printf 'one.patch -p2\n' >repo/patches/thing/1/series; bad "options in series" "gives options to quilt" check new thing/1
printf 'absent.patch\n' >repo/patches/thing/1/series; bad "a missing patch" "cannot read .*absent.patch" check new thing/1
printf 'one.patch\r\n' >repo/patches/thing/1/series; bad "CRLF in series" "CRLF" check new thing/1
series

# Ctrl-C while a tarball comes in slowly.
mkdir -p many/x; i=0; while [ $i -lt 200 ]; do echo $i >many/x/$i; i=$((i + 1)); done
tar -cf many.tar many
mkfifo slow
(exec 3>slow; i=0; while [ $i -lt 30 ]; do dd if=many.tar bs=10240 count=1 skip=$i status=none >&3 2>/dev/null || exit; sleep 0.3; i=$((i + 1)); done) &
feeder=$!
# A background job of sh ignores SIGINT; env gives it back.
env --default-signal=INT "$patchset" -C repo check slow thing/1 >interrupted 2>&1 &
job=$!
sleep 1; kill -INT $job; rc=0; wait $job || rc=$?
kill $feeder 2>/dev/null; wait $feeder 2>/dev/null
is "$rc" 130 "Ctrl-C: exit code 130"
like "$(cat interrupted)" "Interrupt; nothing was changed" "it says so"

# status.
run "$patchset" -C repo status
is "$rc" 10 "a patch without DEP-3 fields: exit code 10"
like "$out" "^thing/1 on 1.0: clean" "the series has its verdict"
like "$out" "one.patch *clean *1 file, *+1 *-0 .*Description is missing, Author is missing, Forwarded is missing, Last-Update is missing" "the fields are named"
header() { { printf '%s\n' "$@"; printf '%s\n' "$good"; } >repo/patches/thing/1/one.patch; run "$patchset" -C repo status; }
header "Description: gold" "Author: A <a@b.invalid>" "Forwarded: no" "Last-Update: 2026-12-01"
is "$rc" 0 "with all fields: exit code 0"
header "Description: gold" "Author: A <a@b.invalid>" "Forwarded: no" "Last-Update: soon"
is "$rc" 10 "a date that is none: exit code 10"
like "$out" "Last-Update is no date: soon" "it is said"
header "Description: gold" "Author: A <a@b.invalid>" "Applied-Upstream: 0.9, commit 1" "Last-Update: 2026-12-01"
is "$rc" 10 "merged in an older release than the pin's: exit code 10"
like "$out" "merged in 0.9; Applied-Upstream says 0.9, so 1.0 has it" "it is said"
run "$patchset" -C repo status --json
is "$(printf '%s\n' "$out" | ruby -rjson -e 's = JSON.parse($stdin.read)[0]; p = s["patches"][0]; puts [s["series"], s["verdict"], p["added"], p["removed"], p["merged_in"]].join(" ")')" \
	"thing/1 clean 1 0 0.9" "--json says the same"

# The texts agree.
plain=$(sed 's/\\-/-/g; s/\\f[BIR]//g' "$top/src/patchset.1")
for command in status check rebase overlay export; do
	run "$patchset" $command --help
	is "$rc" 0 "$command --help"
	missing=$(printf '%s\n' "$out" | grep '^patchset ' | while read -r usage; do
		printf '%s\n' "$plain" | grep -qxF ".SS $usage" || echo "$usage"; done)
	is "$missing" "" "$command: the man page has its usage"
	like "$(cat "$top/README.md")" "patchset $command" "$command: the README has it"
done
run "$patchset" --help
for line in "10  needs refresh" "11  merged" "12  conflict" "13  not applicable"; do
	like "$out" "  $line" "--help: $line"
	like "$(printf '%s\n' "$plain" | paste -sd ' ')" "\.B ${line%% *} ${line#*  }" "the man page: $line"
done
is "$(man --warnings -l "$top/src/patchset.1" 2>&1 >/dev/null)" "" "the man page has no fault of form"

# Memory stays that of the patched files.
mkdir -p big-2.0; cp old/thing.c big-2.0/; head -c 150000000 /dev/zero >big-2.0/data.bin
tar -czf big-2.0.tar.gz big-2.0; rm big-2.0/data.bin
run sh -c 'ulimit -v 100000; exec "$@"' sh "$patchset" -C repo check big-2.0.tar.gz thing/1
if "$patchset" --version | grep -q . && ! ldd "$patchset" | grep -q asan; then
	is "$rc" 0 "a tree of 150 MB within 100 MB of address space"
fi
rm -f big-2.0.tar.gz
finish
