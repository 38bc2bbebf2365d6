import { resolve } from 'node:path';
import { isOperation, OPERATIONS, type OperationInput, type OperationName } from '../core/operations.ts';
import { SkeinError } from '../index.ts';
import { readArguments, readCount, readNames, readPairs } from './arguments.ts';
import { readScripts, type Scripts } from './script-file.ts';

/** What `skein threads` is to do. */
export type ThreadsOrder = {
  readonly name: OperationName;
  /** What the operation takes, as it is on the wire. */
  readonly input: OperationInput<OperationName>;
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly json: boolean;
  readonly workers: number | undefined;
  readonly scripts: Scripts;
};

/** Reads `OPERATION ID... [options]`. @throws SkeinError `invalid_argument` */
export function readThreadsOrder([word = '', ...args]: readonly string[], cwd: string): ThreadsOrder {
  const name = word === 'list' ? 'list_threads' : word.replaceAll('-', '_');
  if (!isOperation(name)) throw unknown(word);
  const { values, positionals } = readArguments(args, {
    timeout: { type: 'string' },
    limit: { type: 'string' },
    after: { type: 'string' },
    directive: { type: 'string' },
    message: { type: 'string' },
    limits: { type: 'string' },
    wait: { type: 'string' },
    tail: { type: 'string' },
    at: { type: 'string' },
    types: { type: 'string' },
    status: { type: 'string' },
    archived: { type: 'boolean' },
    'max-bytes': { type: 'string' },
    project: { type: 'string' },
    script: { type: 'string', multiple: true },
    workers: { type: 'string' },
    json: { type: 'boolean' },
  });
  const { project = '.', script = [], workers, json = false, ...options } = values;
  return {
    name,
    input: parseInput(name, { ...wordsOf(name, positionals), ...valuesOf(name, options) }),
    project: resolve(cwd, project),
    json,
    workers: readCount('--workers', workers),
    scripts: readScripts(script, cwd),
  };
}

/** The operation as people write it. */
function spelled(name: string): string {
  return name.replaceAll('_', '-');
}

function unknown(word: string): SkeinError {
  const known = Object.keys(OPERATIONS).map(spelled).join(', ');
  const given = word === '' ? 'none is given' : `${JSON.stringify(word)} is none`;
  return new SkeinError('invalid_argument', `threads takes one of the operations ${known}; ${given}`);
}

type Words = Readonly<Record<string, string | readonly string[]>>;

/** Words without an option: the id or ids, then a text. */
function wordsOf(name: OperationName, words: readonly string[]): Words {
  const keys = new Set(Object.keys(OPERATIONS[name].input.shape));
  if (keys.has('thread_ids')) return { thread_ids: words };
  const taken = ['thread_id', 'query', 'message'].filter((key) => keys.has(key));
  if (words.length > taken.length) {
    const surplus = JSON.stringify(words[taken.length]);
    throw new SkeinError('invalid_argument', `${spelled(name)} has no use for ${surplus} (see skein --help)`);
  }
  return Object.fromEntries(words.map((word, at) => [taken[at] ?? '', word]));
}

type Given = Readonly<Record<string, string | boolean | undefined>>;

const NUMBERS: ReadonlySet<string> = new Set(['timeout', 'limit', 'tail', 'at', 'max_bytes', 'wait']);

function valuesOf(name: OperationName, options: Given): Readonly<Record<string, unknown>> {
  const pairs = Object.entries(options).flatMap(([option, text]) => {
    if (text === undefined) return [];
    const key = option.replaceAll('-', '_');
    if (Object.hasOwn(OPERATIONS[name].input.shape, key))
      return [[key, typeof text === 'string' ? valueOf(name, key, text) : text]];
    throw new SkeinError('invalid_argument', `--${option} is not for ${spelled(name)} (see skein --help)`);
  });
  return Object.fromEntries(pairs);
}

function valueOf(name: OperationName, key: string, text: string): unknown {
  if (key === 'limits') return limitsOf(text);
  // Elsewhere it is an id.
  if (key === 'after' && name === 'read_events') return numberOf(text);
  if (key === 'types' || key === 'status') return readNames(text);
  return NUMBERS.has(key) ? numberOf(text) : text;
}

/** The empty text would be 0. */
function numberOf(text: string): number {
  return Number(text.trim() || Number.NaN);
}

/** `turns=50,spend=2` */
function limitsOf(text: string): Readonly<Record<string, number>> {
  const pairs = Object.entries(readPairs('--limits', text.split(',')));
  return Object.fromEntries(pairs.map(([key, value]) => [key.trim(), numberOf(value)]));
}

function parseInput(name: OperationName, given: unknown): OperationInput<OperationName> {
  const parsed = OPERATIONS[name].input.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.').replaceAll('_', '-')}: ${message}`);
  throw new SkeinError('invalid_argument', `${spelled(name)} needs something else: ${problems.join('; ')}`);
}
