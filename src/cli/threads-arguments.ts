import { resolve } from 'node:path';
import { OPERATION_BOUNDS } from '../core/operation-bounds.ts';
import { OPERATIONS, type OperationInput, type OperationName } from '../core/operations.ts';
import { SkeinError } from '../index.ts';
import { readCount, readLimits, readNames, readNumber } from './arguments.ts';
import type { GivenHere } from './options-again.ts';
import { COMMON, flag, HERE, TYPES, valued, type Option, type Options } from './options.ts';
import { readScripts, type Scripts } from './script-file.ts';

/** What `skein threads` is to do. */
export type ThreadsOrder = GivenHere & {
  readonly name: OperationName;
  /** What the operation takes, as it is on the wire. */
  readonly input: OperationInput<OperationName>;
  readonly json: boolean;
  readonly workers: number | undefined;
  readonly scripts: Scripts;
};

/** Options of all operations, by what they are called on the wire. */
const ALL = {
  timeout: valued('SECONDS', 'for all together (default: as coordination says)'),
  limit: valued('N', 'at most so many'),
  after: valued('ID', 'those that follow it'),
  directive: valued('ID', 'of this directive alone'),
  message: valued('TEXT', 'said to its model'),
  limits: valued('NAME=N,NAME=N', 'new limits: turns, tokens, spend, spawns, duration_seconds'),
  wait: valued('SECONDS', 'wait so long for events if there are none yet'),
  tail: valued('N', `so many of the last events (default: ${OPERATION_BOUNDS.tail.default})`),
  at: valued('SEQ', 'the last event that counts'),
  types: TYPES,
  status: valued('NAME,NAME', 'threads that are suspended, error, ...'),
  archived: flag('archived ones as well'),
  max_bytes: valued('N', 'at most so many bytes of events'),
} as const;

/** Options of an operation, as people write them: what it takes, and where it is carried out. */
export function optionsOf(name: OperationName): Options {
  const taken = Object.keys(OPERATIONS[name].input.shape);
  const own = Object.entries(ALL).filter(([key]) => taken.includes(key));
  const written = own.map(([key, option]) => [spelled(key), key === 'after' ? afterOf(name) : option] as const);
  return { ...Object.fromEntries(written), ...COMMON, ...(OPERATIONS[name].changes && HERE) };
}

function afterOf(name: OperationName): Option {
  return name === 'read_events' ? valued('SEQ', 'those after this event') : ALL.after;
}

/** What was given to an operation; none of its options is of another kind. */
export type Given = { readonly values: Values; readonly positionals: readonly string[] };
type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** Where an operation is asked for, and by which command: messages name it. */
export type AskedHere = { readonly command: string; readonly cwd: string };

/** Reads `ID... [options]` of an operation. @throws SkeinError `invalid_argument` */
export function readThreadsOrder(
  name: OperationName,
  { values, positionals }: Given,
  { command, cwd }: AskedHere,
): ThreadsOrder {
  const { project = '.', script = [], workers, json = false, ...options } = values;
  const scriptFiles = [script].flat().map(String);
  const words = wordsOf(name, positionals, command);
  const named = valuesOf(name, options, command);
  refuseTwice(words, named, command);
  return {
    name,
    input: parseInput(name, { ...words, ...named }, command),
    project: resolve(cwd, String(project)),
    json: json === true,
    workers: readCount('--workers', typeof workers === 'string' ? workers : undefined),
    scripts: readScripts(scriptFiles, cwd),
    scriptFiles,
  };
}

/** What is there as a word and as an option: nobody knows which one is meant. @throws SkeinError `invalid_argument` */
function refuseTwice(words: object, named: object, command: string): void {
  for (const key of Object.keys(words).filter((word) => Object.hasOwn(named, word))) {
    const problem = `${command} is given ${calledFor(key)} twice: as a word and with --${spelled(key)}`;
    throw new SkeinError('invalid_argument', `${problem} (see skein ${command} --help)`);
  }
}

/** A name of the wire as people write it. */
export function spelled(name: string): string {
  return name.replaceAll('_', '-');
}

type Words = Readonly<Record<string, string | readonly string[]>>;

/** Words without an option: the id or ids, then a text. */
function wordsOf(name: OperationName, words: readonly string[], command: string): Words {
  const keys = new Set(Object.keys(OPERATIONS[name].input.shape));
  if (keys.has('thread_ids')) return words.length === 0 ? {} : { thread_ids: words };
  const taken = ['thread_id', 'query', 'message'].filter((key) => keys.has(key));
  if (words.length > taken.length) {
    const surplus = JSON.stringify(words[taken.length]);
    throw new SkeinError('invalid_argument', `${command} has no use for ${surplus} (see skein ${command} --help)`);
  }
  return Object.fromEntries(words.map((word, at) => [taken[at] ?? '', word]));
}

/** Of `read_events`, `after` is one too; elsewhere it is an id. */
const NUMBERS: ReadonlySet<string> = new Set(['timeout', 'limit', 'tail', 'at', 'max_bytes', 'wait']);

function valuesOf(name: OperationName, options: Values, command: string): Readonly<Record<string, unknown>> {
  const pairs = Object.entries(options).map(([option, given]) => {
    const key = option.replaceAll('-', '_');
    const isNumber = NUMBERS.has(key) || (key === 'after' && name === 'read_events');
    if (typeof given !== 'string') return [key, given];
    return [key, isNumber ? readNumber(`--${option}`, given, command) : valueOf(key, given, command)];
  });
  return Object.fromEntries(pairs);
}

function valueOf(key: string, text: string, command: string): unknown {
  if (key === 'limits') return readLimits(text, command);
  return key === 'types' || key === 'status' ? readNames(text) : text;
}

function parseInput(name: OperationName, given: object, command: string): OperationInput<OperationName> {
  const parsed = OPERATIONS[name].input.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const missing = issues.flatMap(({ path: [key = ''] }) => (Object.hasOwn(given, key) ? [] : [calledFor(String(key))]));
  const wrong = issues.map(({ path, message }) => `${calledFor(path.join('.'))}: ${message}`);
  const problem = missing.length > 0 ? `needs ${missing.join(', and ')}` : `needs something else: ${wrong.join('; ')}`;
  throw new SkeinError('invalid_argument', `${command} ${problem} (see skein ${command} --help)`);
}

/** What people give as words; anything else is an option. */
const WORDS: Readonly<Record<string, string>> = {
  thread_id: 'the id of a thread',
  thread_ids: 'the ids of threads',
  query: 'a text to look for',
  message: 'a text',
};

function calledFor(key: string): string {
  const [name = ''] = key.split('.', 1);
  return WORDS[name] ?? `--${spelled(key)}`;
}
