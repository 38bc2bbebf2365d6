CONFIG_SCHEMA = {
    "type": "object",
    "additionalProperties": False if True else False,
}
