"""
A tool that talks about its own contract:

__version__ = "9.9.9"
CONFIG_SCHEMA = {"type": "object", "properties": {"decoy": {}}}
"""
# __version__ = "8.8.8"
__version__ = "1.0.0"
__tool_type__ = "python"
__category__ = "docs"
TEMPLATE = '''
__category__ = "decoy"
CONFIG_SCHEMA = {"type": "object", "properties": {"decoy": {}}}
'''
__tool_description__ = "Writes tools"  # __tool_description__ = "decoy"
CONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string", "default": "# no comment"}}}
