COLORS = ["red", "green"]

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "color": {"enum": COLORS},
    },
}
