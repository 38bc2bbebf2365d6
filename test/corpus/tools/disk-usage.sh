#!/usr/bin/env bash
# rye:unsigned
# __version__: 1.0.0
# __tool_type__: bash
# __category__: ops/disk
# __tool_description__: Says how full the disk is
# __idempotent__: true
# __timeout_seconds__: 5
# CONFIG_SCHEMA: {"type": "object",
#   "properties": {"path": {"type": "string", "description": "it's a \"path\""}},
#   "required": ["path"]}
# Everything below is the script.
set -euo pipefail
df -h "$1"
