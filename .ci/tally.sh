# Counts what passed and failed, and repeats at the end why something failed, because logs are long and are read from
# their end. Source it in the root of the repository.

# The number of last lines of a failed step that are repeated.
TALLY_LINES=30

passed=0
failed=0
tally=$PWD/.orion/ci
rm -rf "$tally"
mkdir -p "$tally"
: >"$tally/reasons"

# step <command …> runs the command, which counts as one check.
step() {
  echo "== $*"
  "$@" 2>&1 | tee "$tally/output"
  local exit_code=${PIPESTATUS[0]}
  if [ "$exit_code" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    { echo "== failed with exit code $exit_code: $*"; tail -n "$TALLY_LINES" "$tally/output"; } >>"$tally/reasons"
  fi
}

# tests <command …> runs the command with Jest's options `--json --outputFile=…`, and counts its tests.
tests() {
  local report=$tally/report.json tests_passed tests_failed
  rm -f "$report"
  echo "== $*"
  "$@" --json --outputFile="$report" 2>&1 | tee "$tally/output"
  local exit_code=${PIPESTATUS[0]}
  node .ci/read-report.mjs "$report" "$exit_code" >"$tally/tests"
  read -r tests_passed tests_failed <"$tally/tests"
  passed=$((passed + tests_passed))
  failed=$((failed + tests_failed))
  if [ "$tests_failed" -gt 0 ]; then
    {
      echo "== $tests_failed failed: $*"
      # No test is named where Jest itself failed.
      tail -n +2 "$tally/tests" | grep . || tail -n "$TALLY_LINES" "$tally/output"
    } >>"$tally/reasons"
  fi
}

# finish prints the reasons of failures, then `<n> passed, <n> failed` as the last line; it fails if anything failed.
finish() {
  cat "$tally/reasons"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
