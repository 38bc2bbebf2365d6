// How the file tools walk the project. Not a tool: it declares no contract.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_VISITED = 200_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Walks the files below a folder that fit a pattern (* within a name, ? for one character, ** for any folders), in the
 * order of their names. Links are not followed; only folders a match can be in are entered. Sets `walk.incomplete` when
 * there was more than can be looked at. Throws what keeps the folder itself from being read.
 */
export function* findFiles(folder, pattern, walk) {
  const names = pattern.split('/').filter((part) => part !== '' && part !== '.');
  // Several ** in a row mean the same as one.
  const parts = names.filter((part, at) => !(part === '**' && names[at - 1] === '**'));
  if (parts.includes('..')) throw new Error('the pattern must not contain ..');
  Object.assign(walk, { visited: 0, incomplete: false });
  yield* filesOf({ folder, entries: entriesOf(folder), states: new Set(reach(parts, 0)) }, { parts, walk });
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
    if (entry.isFile() && next.has(run.parts.length)) yield join(folder, entry.name);
    if (entry.isDirectory() && next.size > 0 && !SKIPPED.has(entry.name)) {
      const below = join(folder, entry.name);
      yield* filesOf({ folder: below, entries: entriesIfAny(below), states: next }, run);
    }
  }
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
  if (at >= parts.length) return [];
  if (parts[at] === '**') return reach(parts, at);
  return matches(parts[at], name) ? reach(parts, at + 1) : [];
}

/** A position and, since ** may stand for no folder at all, the one after it. */
function reach(parts, at) {
  return parts[at] === '**' && at < parts.length - 1 ? [at, at + 1] : parts[at] === '**' ? [at, parts.length] : [at];
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
