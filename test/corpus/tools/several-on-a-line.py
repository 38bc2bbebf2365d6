#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# rye:unsigned
__version__ = "1.0.0"; __tool_type__ = "python"; __category__ = "tiny"
__tool_description__ = "Does little"; CONFIG_SCHEMA = {"type": "object"}
def execute(params, project_path): return params
