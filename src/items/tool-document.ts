import { MAX_YAML_BYTES, parseYaml } from '../config/yaml.ts';
import { SkeinError } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { type Constant, type Constants, CONTRACT_NAMES } from './constants.ts';
import { invalidItem, type Reading, warn } from './reading.ts';
import { lineOfJsonFault } from './json-fault.ts';
import { readJson } from './safe-json.ts';
import { countMembers, faultOfSize, scanMembers } from './signature/json-members.ts';

/** A tool that is a YAML or JSON document. */
export type ToolDocument = {
  /** Contract and extractor fields by the names they have in source files. */
  readonly constants: Constants;
  /** The keys that are no contract field. */
  readonly config: Readonly<Record<string, unknown>>;
};

/** A fresh map, which may be changed. */
type Keys = Record<string, unknown>;

/**
 * Reads a tool from a YAML or JSON map. Contract fields are spelled `version`, `tool_type`, …, `description` and
 * `config_schema`, or as in source files (`__version__`); in this order, where one is there in two spellings.
 *
 * @param names of the contract and of the extractor's fields
 * @throws SkeinError `invalid_item` with line and reason, `item_too_large` for YAML beyond 256 KiB
 */
export function readToolDocument(
  source: string,
  format: 'yaml' | 'json',
  { names, reading }: { readonly names: ReadonlySet<string>; readonly reading: Reading },
): ToolDocument {
  const config = format === 'yaml' ? readYamlMap(source, reading) : readJsonMap(source, reading);
  const constants = new Map<string, Constant>();
  for (const name of names) {
    for (const key of spellings(name).filter((spelling) => Object.hasOwn(config, spelling))) {
      const value = config[key];
      if (CONTRACT_NAMES.has(name)) delete config[key];
      if (value === null) continue;
      const line = lineOfKey(source, key, format);
      if (constants.has(name)) warn(reading, line, `"${key}" is ignored: the field is there in another spelling`);
      else constants.set(name, { ok: true, value, line });
    }
  }
  return { constants, config };
}

/** How a name may be written as a key. */
function spellings(name: string): string[] {
  if (name === 'CONFIG_SCHEMA') return ['config_schema', name];
  const plain = /^__(\w+)__$/.exec(name)?.[1];
  if (plain === undefined) return [name];
  return plain === 'tool_description' ? ['description', plain, name] : [plain, name];
}

function readYamlMap(source: string, reading: Reading): Keys {
  const bytes = Buffer.byteLength(source);
  if (bytes > MAX_YAML_BYTES) {
    const message = `The YAML of the tool has ${bytes} bytes; ${MAX_YAML_BYTES} are accepted`;
    throw new SkeinError('item_too_large', message, { where: { file: reading.file } });
  }
  return checkMap(parseYaml(source, { file: reading.file, code: 'invalid_item' }), reading);
}

const SIGNATURE = '_signature';

function readJsonMap(source: string, reading: Reading): Keys {
  const excess = faultOfSize(source);
  if (excess !== undefined) throw invalidItem(reading, undefined, `The JSON of the tool is not read: ${excess}`);
  const json = readJson(source);
  if (!json.ok) {
    const line = lineOfReason(json.reason) ?? lineOfJsonFault(source);
    throw invalidItem(reading, line, `The JSON of the tool is ${json.reason}`);
  }
  const map = checkMap(json.value, reading);
  if (scanMembers(source, '').members !== countMembers(map)) {
    throw invalidItem(reading, lineOfJsonFault(source), 'The JSON of the tool has a key twice in one object');
  }
  delete map[SIGNATURE];
  return map;
}

function checkMap(value: unknown, reading: Reading): Keys {
  // A copy, as keys are taken out.
  if (isRecord(value)) return { ...value };
  throw invalidItem(reading, 1, 'The tool is no map of names to values');
}

/** The parser says where it stopped in its message only. */
function lineOfReason(reason: string): number | undefined {
  const line = /\(line (\d+) column \d+\)/.exec(reason)?.[1];
  return line === undefined ? undefined : Number(line);
}

/**
 * Where a key of the outermost map stands, if it is written plainly at the start of a line. In YAML an indented key is one of
 * a map in it; in JSON that can't be seen.
 */
function lineOfKey(source: string, key: string, format: 'yaml' | 'json'): number | undefined {
  const before = format === 'yaml' ? '(?:\\{ *)?' : '[ \\t{]*';
  const at = source.search(new RegExp(`^${before}["']?${key}["']?[ \\t]*:`, 'm'));
  return at === -1 ? undefined : source.slice(0, at).split('\n').length;
}
