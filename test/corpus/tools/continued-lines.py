__version__ = \
    "3.1.4"
__tool_type__ = ("python")
__category__ = (
    "text"
)
__tool_description__ \
    = "Goes on in the next line"
CONFIG_SCHEMA = (
    {
        "type": "object",
        "properties": {},
    }
)
def execute(params, project_path): return {}
