import type { ParserName } from '../../config/extractors.ts';
import type { ToolItem } from '../../core/item.ts';
import { readBashConstants } from '../bash-constants.ts';
import { type Constants, CONTRACT_NAMES } from '../constants.ts';
import { readJsConstants } from '../js-constants.ts';
import { readPythonConstants } from '../python-constants.ts';
import { invalidItem, type Reading, startReading, warn, warningsOf } from '../reading.ts';
import { toToolItem, type ToolParts } from '../tool-contract.ts';
import { readToolDocument } from '../tool-document.ts';
import type { Parser } from './parser.ts';

/**
 * Reads a tool file's contract (S2 §5) without running it: exported constants (JavaScript, TypeScript), top-level
 * assignments (Python), comment lines (shell), or the keys of a YAML or JSON map.
 */
export const parseTool: Parser<ToolItem> = ({ item, fileType, known }) => {
  const { id, space, extension, sha256, text } = item;
  const place = { id, space, extension, sha256, file: item.stamp.file, executor: fileType.executor };
  const reading = startReading(place);
  const parts = READERS[fileType.parser]?.(text, known, reading) ?? { constants: new Map(), config: {} };
  warnUnreadable(parts.constants, reading);
  const telling = isDocument(fileType.parser) ? TELLING_KEYS : TELLING_CONSTANTS;
  return {
    value: toToolItem(parts, place, reading),
    data: toData(parts),
    text,
    warnings: warningsOf(reading),
    declared: telling.some((name) => parts.constants.has(name)),
  };
};

/** Any module may have a `__version__`; these make it a tool. */
const TELLING_CONSTANTS = ['__tool_type__', '__tool_description__', '__executor_id__', 'CONFIG_SCHEMA'];
/** And any document a description. */
const TELLING_KEYS = ['__tool_type__', '__executor_id__', 'CONFIG_SCHEMA'];

type Reader = (text: string, known: ReadonlySet<string>, reading: Reading) => ToolParts;

const READERS: Readonly<Partial<Record<ParserName, Reader>>> = {
  static_python: (text, known) => ({ constants: readPythonConstants(text, constantNames(known)), config: {} }),
  static_js: (text, known, reading) => ({ constants: readModule(text, known, reading), config: {} }),
  static_bash: (text, known, reading) => {
    const onRepeated = (name: string, line: number): void => warn(reading, line, `a second ${name} is ignored`);
    return { constants: readBashConstants(text, constantNames(known), onRepeated), config: {} };
  },
  yaml: (text, known, reading) => readToolDocument(text, 'yaml', { names: allNames(known), reading }),
  json: (text, known, reading) => readToolDocument(text, 'json', { names: allNames(known), reading }),
};

function isDocument(parser: ParserName): boolean {
  return parser === 'yaml' || parser === 'json';
}

function allNames(known: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...CONTRACT_NAMES, ...known]);
}

/** In source files only names that are spelled as constants are read: any file may have a variable called `name`. */
function constantNames(known: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...allNames(known)].filter((name) => /^(?:__\w+__|[A-Z][A-Z0-9_]*)$/.test(name)));
}

function readModule(text: string, known: ReadonlySet<string>, reading: Reading): Constants {
  const module = readJsConstants(text, constantNames(known));
  if (!module.ok)
    throw invalidItem(reading, module.line, `The tool can't be read as a module: it has ${module.reason}`);
  for (const name of module.unexported) warn(reading, undefined, `${name} is not exported and is ignored`);
  return module.constants;
}

/** `CONFIG_SCHEMA` has to be readable; that is checked with the contract. */
function warnUnreadable(constants: Constants, reading: Reading): void {
  for (const [name, constant] of constants) {
    if (!constant.ok && name !== 'CONFIG_SCHEMA') {
      warn(reading, constant.line, `${name} is ignored: ${constant.reason}`);
    }
  }
}

/** Also the keys of documents that a field asks for are among the constants. */
function toData({ constants }: ToolParts): Readonly<Record<string, unknown>> {
  const values = [...constants].flatMap(([name, constant]): [string, unknown][] =>
    constant.ok ? [[name, constant.value]] : [],
  );
  return Object.fromEntries(values);
}
