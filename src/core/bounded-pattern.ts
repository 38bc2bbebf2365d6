import { RE2JS } from 're2js';
import { SkeinError, messageOf } from './errors.ts';

/** Longest regular expression, in characters. */
const MAX_PATTERN = 4096;
/** Most instructions of a compiled one: matching takes as many steps for each character of the text. */
const MAX_PROGRAM = 5000;
/** Most parts of one with its repetitions written out, counted generously: compiling more takes seconds. */
const MAX_PARTS = 20_000;

/**
 * Compiles a regular expression from a file that may mean harm: on an engine that runs in linear time, and bounded in what
 * compiling takes and in what each character of a text does.
 *
 * @throws SkeinError `invalid_argument`
 */
export function compilePattern(source: string): RE2JS {
  if (source.length > MAX_PATTERN) throw refusal(`it is longer than ${MAX_PATTERN} characters`);
  const pattern = countParts(source) > MAX_PARTS ? undefined : parse(source);
  if (pattern && pattern.programSize() <= MAX_PROGRAM) return pattern;
  throw refusal(`it repeats too much: it takes more than ${MAX_PROGRAM} steps a character`);
}

function parse(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const hint = 'RE2 syntax is used: no look-around, no backreferences; start with (?i) to ignore case';
    throw refusal(`${messageOf(cause)} (${hint})`, cause);
  }
}

function refusal(message: string, cause?: unknown): SkeinError {
  return new SkeinError('invalid_argument', message, { cause });
}

/** A quoted text, an escape, a class, flags, the beginning of a group, a repetition, or any other character. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\\\]])*\]?|\(\?[a-zA-Z-]+\)|\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?|\{(\d+)(?:,(\d*))?\}|[^]/g;

/** Quoted text, which may be none, flags, and `*`, `+` and `?`: a repetition behind them repeats what is before them. */
const PASSED_OVER = /^(?:\\Q|\(\?.*\)$|[*+?]$)/s;

/** Where case does not count, a range in a class is gone through letter by letter: it may have a hundred thousand of them. */
const FOLDS = /\(\?[a-zA-Z]*i/;
const WIDE_CLASS = /^\[[^]*(?:[^\0-\x7f]|\\[xpP])/;
const PARTS_OF_FOLDED = 500;

type Group = { parts: number; last: number };

/** How many parts a pattern has with its repetitions written out, or more. */
function countParts(source: string): number {
  let group: Group = { parts: 0, last: 0 };
  const around: Group[] = [];
  const folds = FOLDS.test(source);
  let folded = 0;
  const add = (parts: number): void => {
    group.parts += parts;
    group.last = parts;
  };
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (PASSED_OVER.test(token)) {
      group.parts += token.length;
      group.last += token.length;
    } else if (token.startsWith('(')) {
      around.push(group);
      group = { parts: 0, last: 0 };
    } else if (token === ')') {
      // What it captures is a part, too.
      const { parts } = group;
      group = around.pop() ?? group;
      add(parts + 1);
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0));
      group.parts += group.last * (times - 1);
      group.last *= times;
    } else {
      add(1);
      // Once, however often it is repeated.
      if (folds && WIDE_CLASS.test(token)) folded += PARTS_OF_FOLDED;
    }
  }
  return [...around, group].reduce((sum, { parts }) => sum + parts, folded);
}
