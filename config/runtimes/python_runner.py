"""Runs one call of a python tool: the request is JSON on stdin, the reply is JSON on fd 3; stdout and stderr are the tool's."""

import asyncio
import importlib.util
import inspect
import json
import os
import sys
import traceback

REPLY_FD = 3


def main():
    request = json.loads(sys.stdin.buffer.read())
    send(call(request["file"], request["params"], request["project_path"]).encode("utf-8"))
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads the tool left running must not keep the call from ending.
    os._exit(0)


def call(file, params, project_path):
    try:
        execute = load(file)
        value = execute(params, project_path)
        if inspect.isawaitable(value):
            value = asyncio.run(wait_for(value))
        # NaN and Infinity are not JSON.
        return json.dumps({"ok": True, "value": value}, allow_nan=False)
    except MemoryError:
        return json.dumps({"ok": False, "error": "MemoryError: out of memory"})
    except Exception as error:
        traceback.print_exc()
        return json.dumps({"ok": False, "error": f"{type(error).__name__}: {error}"})


def load(file):
    # Files beside the tool can be imported, the runner's own folder cannot.
    sys.path[0] = os.path.dirname(file)
    spec = importlib.util.spec_from_file_location("tool", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["tool"] = module
    spec.loader.exec_module(module)
    execute = getattr(module, "execute", None)
    if not callable(execute):
        raise TypeError("the file does not define a function named execute")
    return execute


def send(reply):
    while reply:
        reply = reply[os.write(REPLY_FD, reply) :]


async def wait_for(value):
    return await value


main()
