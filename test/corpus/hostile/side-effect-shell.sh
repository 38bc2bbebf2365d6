#!/bin/sh
# __version__: $(touch "$SKEIN_CORPUS_MARKER")
# __tool_description__: `touch "$SKEIN_CORPUS_MARKER"`
# CONFIG_SCHEMA: {"type": "object"}
touch "$SKEIN_CORPUS_MARKER"
