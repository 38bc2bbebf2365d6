import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ToolItem } from '../core/item.ts';
import { failed, ok } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import type { Env } from './child-env.ts';

/** Where to look: `env` is the environment of the runtime, `nodePath` the Node that Skein itself runs on. */
export type InterpreterSearch = { readonly projectPath: string; readonly env: Env; readonly nodePath: string };

/**
 * Finds the program that runs a tool file. Python: `RYE_PYTHON` if set (and then only that), the project's
 * `.venv/bin/python`, `python3` on PATH. Not found: `tool_failed`, saying where was looked.
 */
export function findInterpreter(runtime: ToolItem['runtime'], search: InterpreterSearch): Result<string> {
  if (runtime === 'node') return ok(search.nodePath);
  if (runtime === 'bash') return firstOf(onPath('bash', search.env), 'bash');
  return firstOf(pythonCandidates(search), 'Python (set RYE_PYTHON to an interpreter)');
}

function pythonCandidates({ projectPath, env }: InterpreterSearch): readonly string[] {
  const chosen = env['RYE_PYTHON'];
  if (chosen) return isAbsolute(chosen) ? [chosen] : onPath(chosen, env);
  return [join(projectPath, '.venv', 'bin', 'python'), ...onPath('python3', env)];
}

function onPath(name: string, env: Env): readonly string[] {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
}

function firstOf(candidates: readonly string[], name: string): Result<string> {
  const found = candidates.find(isProgram);
  if (found !== undefined) return ok(found);
  const looked = candidates.length === 0 ? 'PATH is empty' : `looked for ${candidates.join(', ')}`;
  return failed({
    code: 'tool_failed',
    message: `no ${name} was found: ${looked}`,
    detail: { reason: 'no_interpreter' },
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not executable: the next candidate is tried.
    return false;
  }
}
