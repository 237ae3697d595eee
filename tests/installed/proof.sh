# shellcheck shell=sh disable=SC2154
# Shared by ruby and puma, which run on the machine or root where the packages
# are installed; sourced after they set release and variant.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/../tools/tap.sh"
ruby=ruby$release
export HOME="$work" LC_ALL=C.UTF-8 GEM_HOME="$work/gems"
unset RUBYOPT RUBYLIB GEM_PATH
cd "$work" || exit 1

# proof NAME COMMAND...: minitest's tests of one class.  All pass on patched,
# all fail on stock; none at all is a failure in both.
proof() {
	name=$1; shift
	run "$@"
	count=$(printf '%s\n' "$out" | sed -n 's/^\([0-9]*\) runs, .* \([0-9]*\) failures, \([0-9]*\) errors, \([0-9]*\) skips.*/\1 \2 \3 \4/p' | tail -n 1)
	# shellcheck disable=SC2086
	set -- ${count:-0 0 0 0}
	case $variant in patched) wanted="0 failed" ;; *) wanted="$1 failed" ;; esac
	if [ "$1" -gt 0 ] && [ "$4" -eq 0 ]; then is "$(($2 + $3)) failed" "$wanted" "$name: of $1 proofs on $variant"
	else result 1 "$name" "$out"; fi
}
