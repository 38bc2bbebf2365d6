import type { SpaceName, ToolItem } from '../core/item.ts';
import { readBashConstants } from './bash-constants.ts';
import type { Constants } from './constants.ts';
import { readJsConstants } from './js-constants.ts';
import { readPythonConstants } from './python-constants.ts';
import { invalidItem, quote, type Reading, startReading, warn } from './reading.ts';
import { isJsonObject } from './safe-json.ts';

/** Where a tool's source comes from. */
export type ToolSource = {
  readonly id: string;
  readonly file: string;
  readonly space: SpaceName;
  readonly extension: string;
};

/** A tool's contract as read; `declared` is false for a file that states none of it, such as a helper module. */
export type ToolReading = {
  readonly tool: ToolItem;
  readonly declared: boolean;
  readonly warnings: readonly string[];
};

/**
 * Reads a tool file's contract (S2 §5) without running it: exported constants (JavaScript, TypeScript), top-level
 * assignments (Python) or comment lines (shell). What is missing gets a default; a constant other than `CONFIG_SCHEMA`
 * that can't be read is a warning.
 *
 * @throws SkeinError `invalid_item` with the line if the file can't be parsed, or its `CONFIG_SCHEMA` is no literal
 * object schema: a tool whose input can't be checked is not offered
 */
export function readToolContract(source: string, at: ToolSource): ToolReading {
  const reading = startReading(at);
  const constants = readConstants(source, at, reading);
  const text = (name: string): string => readText(name, constants, reading);
  const tool: ToolItem = {
    id: at.id,
    file: at.file,
    space: at.space,
    runtime: readRuntime(text('__executor_id__'), at, reading),
    version: text('__version__'),
    description: text('__tool_description__'),
    category: text('__category__') || at.id.split('/').slice(0, -1).join('/'),
    inputSchema: readSchema(constants, reading),
    idempotent: readValue('__idempotent__', 'boolean', { constants, reading }) ?? false,
    timeoutSeconds: readTimeout(constants, reading),
  };
  return { tool, declared: TELLING_NAMES.some((name) => constants.has(name)), warnings: reading.warnings };
}

/** Any module may have a `__version__`; these make it a tool. */
const TELLING_NAMES = ['__tool_type__', '__tool_description__', '__executor_id__', 'CONFIG_SCHEMA'];

function readConstants(source: string, at: ToolSource, reading: Reading): Constants {
  if (at.extension === '.py') return readPythonConstants(source);
  if (at.extension === '.sh') return readBashConstants(source);
  const js = readJsConstants(source, at.extension === '.ts' ? 'typescript' : 'javascript');
  if (!js.ok) throw invalidItem(reading, js.line, `The tool can't be parsed as a module: ${js.reason}`);
  for (const name of js.unexported) warn(reading, undefined, `${name} is not exported and is ignored`);
  return js.constants;
}

type Runtime = ToolItem['runtime'];

const RUNTIMES: readonly (readonly [string, Runtime])[] = [
  ['node_runtime', 'node'],
  ['python_runtime', 'python'],
  ['bash_runtime', 'bash'],
];

function readRuntime(executor: string, at: ToolSource, reading: Reading): Runtime {
  const named = RUNTIMES.find(([ending]) => executor.split('/').at(-1) === ending)?.[1];
  const byExtension = at.extension === '.py' ? 'python' : at.extension === '.sh' ? 'bash' : 'node';
  if (executor !== '' && named === undefined) {
    warn(reading, undefined, `__executor_id__ ${quote(executor)} is no known runtime; ${byExtension} is used`);
  }
  return named ?? byExtension;
}

type Typed = { readonly string: string; readonly boolean: boolean; readonly number: number };

function readText(name: string, constants: Constants, reading: Reading): string {
  const constant = constants.get(name);
  if (constant?.ok && typeof constant.value === 'number') return String(constant.value);
  return readValue(name, 'string', { constants, reading })?.trim() ?? '';
}

/** A constant of a type; undefined, with a warning if it is there but does not fit. */
function readValue<Type extends keyof Typed>(
  name: string,
  type: Type,
  { constants, reading }: { readonly constants: Constants; readonly reading: Reading },
): Typed[Type] | undefined {
  const constant = constants.get(name);
  if (constant === undefined) return undefined;
  // oxlint-disable-next-line valid-typeof -- the types are those of `Typed`
  const fits = constant.ok && typeof constant.value === type;
  // `typeof` was compared with the name of the type.
  if (fits) return constant.value as Typed[Type];
  warn(reading, constant.line, `${name} is ignored: ${constant.ok ? `it is no ${type}` : constant.reason}`);
  return undefined;
}

function readTimeout(constants: Constants, reading: Reading): number | undefined {
  const seconds = readValue('__timeout_seconds__', 'number', { constants, reading });
  if (seconds === undefined || (seconds > 0 && Number.isFinite(seconds))) return seconds;
  const line = constants.get('__timeout_seconds__')?.line;
  warn(reading, line, '__timeout_seconds__ is ignored: it is no number above 0');
  return undefined;
}

function readSchema(constants: Constants, reading: Reading): Readonly<Record<string, unknown>> {
  const constant = constants.get('CONFIG_SCHEMA');
  if (constant === undefined) return { type: 'object', properties: {} };
  if (!constant.ok) throw invalidItem(reading, constant.line, `CONFIG_SCHEMA can't be read: ${constant.reason}`);
  const { value, line } = constant;
  if (!isJsonObject(value)) throw invalidItem(reading, line, 'CONFIG_SCHEMA is no object; a JSON Schema is expected');
  if (value['type'] !== undefined && value['type'] !== 'object') {
    throw invalidItem(
      reading,
      line,
      `CONFIG_SCHEMA describes no object: its type is ${quote(JSON.stringify(value['type']))}`,
    );
  }
  return { ...value, type: 'object' };
}
