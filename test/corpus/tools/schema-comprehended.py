CONFIG_SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("a", "b")},
}
