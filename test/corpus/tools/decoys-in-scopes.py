__version__ = "1.0.0"
__tool_type__ = "python"
__category__ = "text"
__tool_description__ = "Has the same names in other scopes"
CONFIG_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


class Other:
    __version__ = "6.6.6"
    CONFIG_SCHEMA = {"type": "object", "properties": {"decoy": {}}}


def execute(params, project_path):
    CONFIG_SCHEMA = compute()
    __category__ = "decoy"
    settings = dict(__version__="7.7.7")
    if CONFIG_SCHEMA == {"a": 1}:
        other.__version__ = "5.5.5"
    return settings
