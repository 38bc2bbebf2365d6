import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { strict } from '../config/section.ts';
import { SkeinError } from '../core/errors.ts';
import type { Env } from './child-env.ts';

/** The variable that names an interpreter. Its value is shown in errors: no name that could hold a secret. */
const variable = z.string().regex(/^RYE_[A-Z0-9_]+$/, 'the name must begin with RYE_');
const program = z.string().regex(/^[^/\\\0]+$/, 'a name that is looked for on PATH');

/** `env_config.interpreter` of a runtime: which program runs its tools, and where to look for it (S2 "Runtime Requirement"). */
export const interpreterSchema = z.discriminatedUnion('type', [
  /** The Node that Skein runs on. */
  strict({ type: z.literal('node') }),
  /** `var`, else `program` on PATH. */
  strict({ type: z.literal('program'), var: variable.optional(), program }),
  /** `var`, else `bin/python` of the virtual environment at `venv_path` (from the project's root), else `program` on PATH. */
  strict({ type: z.literal('venv_python'), var: variable.optional(), venv_path: z.string().min(1), program }),
]);
/** See {@link interpreterSchema}. */
export type InterpreterConfig = z.output<typeof interpreterSchema>;

/** Where to look: `env` is the environment of the runtime, `nodePath` the Node that Skein itself runs on. */
export type InterpreterSearch = { readonly projectPath: string; readonly env: Env; readonly nodePath: string };

/**
 * Finds the program that runs a tool. If its variable is set, then only that is taken: a path, or a name on PATH.
 *
 * @throws SkeinError `tool_failed` with the reason `no_interpreter` when there is none, saying where was looked.
 */
export function findInterpreter(config: InterpreterConfig, search: InterpreterSearch): string {
  if (config.type === 'node') return search.nodePath;
  const hint = config.var === undefined ? '' : ` (${config.var} may name one)`;
  return firstOf(candidates(config, search), `${config.program}${hint}`);
}

/**
 * Finds a program by an absolute path or by its name on PATH.
 *
 * @throws SkeinError as {@link findInterpreter}
 */
export function findProgram(name: string, env: Env): string {
  return firstOf(placesOf(name, env), name);
}

type Searched = Exclude<InterpreterConfig, { type: 'node' }>;

function candidates(config: Searched, { projectPath, env }: InterpreterSearch): readonly string[] {
  const chosen = config.var === undefined ? undefined : env[config.var];
  if (chosen) return placesOf(chosen, env);
  const named = placesOf(config.program, env);
  return config.type === 'program' ? named : [resolve(projectPath, config.venv_path, 'bin', 'python'), ...named];
}

/** A relative path is no place: it would depend on where Skein was started. */
function placesOf(name: string, env: Env): readonly string[] {
  if (isAbsolute(name)) return [name];
  if (name.includes('/')) return [];
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
}

function firstOf(places: readonly string[], name: string): string {
  const found = places.find(isProgram);
  if (found !== undefined) return found;
  const looked = places.length === 0 ? 'there was no place to look' : `looked for ${places.join(', ')}`;
  throw new SkeinError('tool_failed', `no ${name} was found: ${looked}`, { detail: { reason: 'no_interpreter' } });
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
