import { messageOf } from '../core/errors.ts';
import type { SpaceName, ToolItem } from '../core/item.ts';
import { isRecord } from '../core/record.ts';
import type { Constants } from './constants.ts';
import { parseItemId } from './item-id.ts';
import { invalidItem, quote, type Reading, warn } from './reading.ts';

/** Where a tool's source comes from. */
export type ToolPlace = {
  readonly id: string;
  readonly file: string;
  /** Of the file's bytes. */
  readonly sha256: string;
  readonly space: SpaceName;
  readonly extension: string;
  /** The runtime of a file of this type that names none. */
  readonly executor: string | undefined;
};

/** What was read of a tool file; `config` is what a YAML or JSON file says beyond the contract. */
export type ToolParts = { readonly constants: Constants; readonly config: Readonly<Record<string, unknown>> };

/**
 * Makes a tool of its contract (S2 §5). What is missing or of the wrong type gets a default: that is remarked on where
 * the fields are read.
 *
 * @throws SkeinError `invalid_item` with the line if `CONFIG_SCHEMA` is no literal object schema, since a tool whose
 * input can't be checked is not offered, or if the executor is no item id
 */
export function toToolItem({ constants, config }: ToolParts, at: ToolPlace, reading: Reading): ToolItem {
  const { executor, ...place } = at;
  return {
    ...place,
    toolType: readText(constants, '__tool_type__'),
    executorId: readExecutor(constants, reading) || (executor ?? ''),
    config,
    version: readText(constants, '__version__'),
    description: readText(constants, '__tool_description__'),
    category: readText(constants, '__category__') || at.id.split('/').slice(0, -1).join('/'),
    inputSchema: readSchema(constants, reading),
    idempotent: valueOf(constants, '__idempotent__') === true,
    timeoutSeconds: readTimeout(constants, reading),
  };
}

function valueOf(constants: Constants, name: string): unknown {
  const constant = constants.get(name);
  return constant?.ok ? constant.value : undefined;
}

function readText(constants: Constants, name: string): string {
  const value = valueOf(constants, name);
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
}

function readExecutor(constants: Constants, reading: Reading): string {
  const executor = readText(constants, '__executor_id__');
  if (executor === '') return '';
  try {
    return parseItemId(executor);
  } catch (error) {
    throw invalidItem(reading, constants.get('__executor_id__')?.line, `__executor_id__: ${messageOf(error)}`);
  }
}

function readTimeout(constants: Constants, reading: Reading): number | undefined {
  const seconds = valueOf(constants, '__timeout_seconds__');
  if (typeof seconds !== 'number' || seconds > 0) return typeof seconds === 'number' ? seconds : undefined;
  const line = constants.get('__timeout_seconds__')?.line;
  warn(reading, line, '__timeout_seconds__ is ignored: it is no number above 0');
  return undefined;
}

function readSchema(constants: Constants, reading: Reading): Readonly<Record<string, unknown>> {
  const constant = constants.get('CONFIG_SCHEMA');
  if (constant === undefined) return { type: 'object', properties: {} };
  if (!constant.ok) throw invalidItem(reading, constant.line, `CONFIG_SCHEMA can't be read: ${constant.reason}`);
  const { value, line } = constant;
  if (!isRecord(value)) throw invalidItem(reading, line, 'CONFIG_SCHEMA is no object; a JSON Schema is expected');
  if (value['type'] !== undefined && value['type'] !== 'object') {
    const type = quote(JSON.stringify(value['type']));
    throw invalidItem(reading, line, `CONFIG_SCHEMA describes no object: its type is ${type}`);
  }
  return { ...value, type: 'object' };
}
