#!/bin/bash
# __version__: 1.0.0
# __category__: text
# __tool_description__: Prints text that looks like a contract
# CONFIG_SCHEMA: {"type": "object"}
cat <<'END'
# __version__: 9.9.9
# CONFIG_SCHEMA: {"type": "object", "properties": {"decoy": {}}}
END
