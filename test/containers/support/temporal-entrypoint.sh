#!/bin/sh
# Starts the development server with the dynamic configuration that the real entry point would read. It keeps its state
# over restarts, as a real server does.
set -eu
: "${DYNAMIC_CONFIG_FILE_PATH:=/dev/null}"
flags=$(sed -nE 's/^([A-Za-z.]+): \[\{ value: ([A-Za-z0-9]+) \}\]$/--dynamic-config-value \1=\2/p' "$DYNAMIC_CONFIG_FILE_PATH" | sed 's/=\([0-9]*ms\)$/="\1"/')
# shellcheck disable=SC2086
exec temporal server start-dev --ip 0.0.0.0 --headless --log-level error --db-filename /var/lib/temporal/state.db $flags
