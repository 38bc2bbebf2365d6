// How the file tools walk the project. Not a tool: it declares no contract.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_VISITED = 200_000;
/** Not entered unless the pattern names them. */
const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_CHOICES = 100;
const BRACES = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s;
/** Stands behind the parts of each choice. */
const END = Symbol('end');

/**
 * Walks the files below a folder that fit a pattern (* within a name, ? for one character, ** for any folders, {a,b} for
 * one of these), in the order of their names. Links are not followed; only folders a match can be in are entered. Sets
 * `walk.incomplete` when there was more than can be looked at. Throws what keeps the folder itself from being read, and
 * for a pattern that begins with /, leads out with .. or has braces for more than 100 choices.
 */
export function* findFiles(folder, pattern, walk) {
  const parts = choicesOf(pattern).flatMap((choice) => [...partsOf(choice), END]);
  const starts = [0, ...parts.keys().filter((at) => parts[at - 1] === END)];
  const states = new Set(starts.flatMap((at) => reach(parts, at)));
  Object.assign(walk, { visited: 0, incomplete: false });
  yield* filesOf({ folder, entries: entriesOf(folder), states }, { parts, walk });
}

/** The pattern once for each choice of its braces, inner ones first; braces without a comma are taken as they are. */
function choicesOf(pattern) {
  const choices = new Set([pattern]);
  // What is added on the way has its turn as well.
  for (const choice of choices) {
    const [, before, inside, after] = BRACES.exec(choice) ?? [];
    if (inside === undefined) continue;
    choices.delete(choice);
    for (const one of inside.split(',')) choices.add(before + one + after);
    if (choices.size > MAX_CHOICES) throw new Error(`the braces of the pattern give more than ${MAX_CHOICES} choices`);
  }
  return [...choices];
}

function partsOf(choice) {
  if (choice.startsWith('/')) throw new Error('the pattern must not begin with /: write it relative to path');
  const names = choice.split('/').filter((part) => part !== '' && part !== '.');
  if (names.includes('..')) throw new Error('the pattern must not contain ..');
  // Several ** in a row mean the same as one.
  return names.filter((part, at) => !(part === '**' && names[at - 1] === '**'));
}

/** `states` are the parts of the pattern that may come next. */
function* filesOf({ folder, entries, states }, run) {
  for (const entry of entries) {
    if (run.walk.visited >= MAX_VISITED) {
      run.walk.incomplete = true;
      return;
    }
    run.walk.visited += 1;
    const next = new Set([...states].flatMap((at) => step(run.parts, at, entry.name)));
    if (entry.isFile() && [...next].some((at) => run.parts[at] === END)) yield join(folder, entry.name);
    if (
      entry.isDirectory() &&
      next.size > 0 &&
      !isSkipped(
        entry.name,
        [...states].map((at) => run.parts[at]),
      )
    ) {
      const below = join(folder, entry.name);
      yield* filesOf({ folder: below, entries: entriesIfAny(below), states: next }, run);
    }
  }
}

/** `parts`: those that the name may be. */
function isSkipped(name, parts) {
  return SKIPPED.has(name) && !parts.includes(name);
}

function entriesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function entriesIfAny(folder) {
  try {
    return entriesOf(folder);
  } catch {
    // Not readable, or gone since its name was read: nothing is found in it.
    return [];
  }
}

/** Where the pattern stands after one name; like a machine that follows all ways at once, so never exponential. */
function step(parts, at, name) {
  if (parts[at] === END) return [];
  if (parts[at] === '**') return reach(parts, at);
  return matches(parts[at], name) ? reach(parts, at + 1) : [];
}

/** A position and, since ** may stand for no folder at all, the one after it. */
function reach(parts, at) {
  return parts[at] === '**' ? [at, at + 1] : [at];
}

function matches(pattern, name) {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let read = 0; read < name.length;) {
    if (pattern[at] === '*') {
      star = at++;
      retry = read;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      read = ++retry;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
