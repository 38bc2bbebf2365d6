CONFIG_SCHEMA = {"type": "object", "additionalProperties": false}
