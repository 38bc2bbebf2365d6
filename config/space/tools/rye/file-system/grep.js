import { lstatSync } from 'node:fs';
import { RE2JS } from 're2js';
import { findFiles } from './find-files.js';
import { existingPath, shownPath } from './project-path.js';
import { readTextFile } from './text-file.js';

export const __version__ = '1.1.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Search the lines of project files for a regular expression. Answers per file, "12: text" for a line that matches and "13- text" for one around it. .git and node_modules only if glob names them.';
export const __idempotent__ = true;
export const __timeout_seconds__ = 40;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'RE2 regular expression, matched line by line: no look-around, no backreferences.',
    },
    path: { type: 'string', minLength: 1, default: '.', description: 'File or folder, relative to the project root.' },
    glob: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      default: '**',
      description: 'Which files below path, for example *.ts (in any folder) or src/**/*.{ts,tsx}',
    },
    literal: { type: 'boolean', default: false, description: 'Take the pattern as plain text.' },
    ignore_case: { type: 'boolean', default: false, description: 'Do not tell capitals from small letters.' },
    context: { type: 'integer', minimum: 0, maximum: 20, default: 0, description: 'Lines to show around a match.' },
    max_matches: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Most lines to find.' },
  },
  required: ['pattern'],
  additionalProperties: false,
};

const MAX_SHOWN_CHARS = 60_000;
const MAX_SHOWN_LINE = 300;
/** Of a longer line only the beginning is searched: also linear time adds up. */
const MAX_SEARCHED_LINE = 100_000;
const MAX_SEARCHED_CHARS = 256 * 1024 * 1024;
const MAX_SECONDS = 20;
/** How much is searched between two looks at the clock. */
const CLOCK_CHARS = 64 * 1024;

export function execute(params, projectPath) {
  const { path = '.', glob = '**', context = 0, max_matches = 100 } = params;
  const start = existingPath(path, projectPath);
  const search = {
    regex: compile(params),
    context,
    limits: { matches: max_matches, shown: MAX_SHOWN_CHARS, searched: MAX_SEARCHED_CHARS },
    deadline: performance.now() + MAX_SECONDS * 1000,
    counts: { matches: 0, shown: 0, searched: 0, files: 0, skipped: 0, long_lines: 0 },
    stopped: null,
  };
  const walk = { incomplete: false };
  const isFolder = lstatSync(start).isDirectory();
  const files = [];
  for (const file of isFolder ? findFiles(start, anywhere(glob), walk) : [start]) {
    const { bytes, refused } = readTextFile(file);
    if (refused && !isFolder) throw new Error(`${path} ${refused}`);
    const text = refused ? skip(search) : searchText(bytes.toString('utf8'), search);
    if (text !== '') files.push({ path: shownPath(file, projectPath), text });
    if (performance.now() > search.deadline) search.stopped ??= 'time';
    if (search.stopped) break;
  }
  return report(files, { ...search, stopped: search.stopped ?? (walk.incomplete ? 'files' : null) });
}

function report(files, { counts, stopped }) {
  return {
    matches: counts.matches,
    searched_files: counts.files,
    // Not text, too large or not readable.
    skipped_files: counts.skipped,
    // Only the beginning of these was searched.
    long_lines: counts.long_lines,
    truncated: stopped !== null,
    stopped_by: stopped,
    // What is long stands last: if the answer is cut, nothing else is missing.
    files,
  };
}

function compile({ pattern, literal = false, ignore_case = false }) {
  const flags = ignore_case ? RE2JS.CASE_INSENSITIVE : 0;
  try {
    return RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, flags);
  } catch (error) {
    const hint = 'RE2 syntax is expected, which has no look-around and no backreferences';
    throw new Error(`the pattern is not accepted: ${error.message}; ${hint}`, { cause: error });
  }
}

/** A pattern without a slash is meant for the name alone. */
function anywhere(glob) {
  return glob.includes('/') ? glob : `**/${glob}`;
}

function skip({ counts }) {
  counts.skipped += 1;
  return '';
}

/** The lines to show of one file, as text. */
function searchText(text, search) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  search.counts.files += 1;
  const matched = new Map();
  for (const [index, line] of lines.entries()) {
    if (search.stopped) break;
    const start = findIn(line.endsWith('\r') ? line.slice(0, -1) : line, search);
    if (start === -1) continue;
    matched.set(index, start);
    search.counts.matches += 1;
    if (search.counts.matches >= search.limits.matches) search.stopped = 'max_matches';
  }
  return show(lines, matched, search);
}

/** Where the pattern is found in a line, or -1. */
function findIn(line, search) {
  const { counts, limits, regex } = search;
  const searched = line.slice(0, MAX_SEARCHED_LINE);
  if (searched !== line) counts.long_lines += 1;
  const before = Math.floor(counts.searched / CLOCK_CHARS);
  counts.searched += searched.length + 1;
  if (counts.searched > limits.searched) search.stopped = 'size';
  const looks = Math.floor(counts.searched / CLOCK_CHARS) > before;
  if (looks && performance.now() > search.deadline) search.stopped = 'time';
  if (!regex.test(searched)) return -1;
  const matcher = regex.matcher(searched);
  return matcher.find() ? matcher.start() : -1;
}

function show(lines, matched, search) {
  const shown = [];
  let last = -1;
  for (const index of matched.keys()) {
    const from = Math.max(last + 1, index - search.context);
    if (search.context > 0 && last >= 0 && from > last + 1) shown.push('--');
    last = Math.min(lines.length - 1, index + search.context);
    for (let at = from; at <= last; at += 1) shown.push(showLine(lines[at], { at, start: matched.get(at) }));
  }
  return fitting(shown, search);
}

function showLine(line, { at, start }) {
  const text = line.trimEnd();
  const mark = start === undefined ? '-' : ':';
  if (text.length <= MAX_SHOWN_LINE) return `${at + 1}${mark} ${text}`;
  const from = Math.max(0, Math.min((start ?? 0) - 50, text.length - MAX_SHOWN_LINE));
  const end = from + MAX_SHOWN_LINE;
  return `${at + 1}${mark} ${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}

function fitting(shown, search) {
  const end = shown.findIndex((line) => (search.counts.shown += line.length + 1) > search.limits.shown);
  if (end === -1) return shown.join('\n');
  search.stopped = 'text';
  return shown.slice(0, end).join('\n');
}
