import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'demo';
export const __tool_description__ = 'Add up the results of all files and write them to survey.md.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    folder: { type: 'string', minLength: 1, description: 'Absolute path of the surveyed folder.' },
    report_folder: {
      type: 'string',
      minLength: 1,
      description: 'Absolute path of the folder survey.md is written to.',
    },
    files: { type: 'array', description: 'The files as they were listed; a list of pages is fine.' },
    results: {
      type: 'array',
      description: 'What wait_threads gave for each file, in the order of the files; a list of waits is fine.',
    },
  },
  required: ['folder', 'report_folder', 'files', 'results'],
  additionalProperties: false,
};

const COUNTS = ['lines', 'words', 'headings', 'exports'];
const KINDS = { markdown: 'Markdown', code: 'JavaScript, TypeScript', text: 'other text' };

export function execute({ folder, report_folder, files, results }) {
  if (!isAbsolute(report_folder)) throw new Error(`${report_folder} is not an absolute path`);
  const entries = pair(files.flat(), results.flat());
  const counted = entries.filter(({ problem }) => problem === undefined);
  const rest = entries.filter(({ problem }) => problem !== undefined);
  const report = join(report_folder, 'survey.md');
  replace(report, [title(folder, counted), kinds(counted), table(counted), missing(rest)].filter(Boolean).join('\n'));
  return { report, files: counted.length, not_counted: rest.length, ...total(counted) };
}

/** Each file with the result of its thread. A result about another file is refused: the sums would be wrong. */
function pair(files, results) {
  if (files.length !== results.length) throw new Error(`there are ${files.length} files but ${results.length} results`);
  return files.map((file, index) => {
    const { status, outputs, error } = results[index] ?? {};
    if (!outputs) return { file, problem: error || `its thread ended as ${status ?? 'unknown'}` };
    if (outputs.path !== file) throw new Error(`result ${index} is about ${outputs.path}, not about ${file}`);
    if (!Object.hasOwn(KINDS, outputs.kind)) return { file, problem: outputs.problem || 'it could not be read' };
    for (const name of COUNTS) {
      if (!Number.isSafeInteger(outputs[name]) || outputs[name] < 0)
        throw new Error(`the ${name} of ${file} are no number`);
    }
    return { file, ...outputs, problem: undefined };
  });
}

function total(entries) {
  return Object.fromEntries(COUNTS.map((name) => [name, entries.reduce((sum, entry) => sum + entry[name], 0)]));
}

function title(folder, counted) {
  const { lines, words, headings, exports } = total(counted);
  const sums = `${lines} lines, ${words} words, ${headings} headings, ${exports} exported names`;
  return `# Survey of ${plain(basename(folder) || folder)}\n\n${counted.length} text files: ${sums}.\n`;
}

function kinds(counted) {
  const rows = Object.entries(KINDS).map(([kind, name]) => {
    const entries = counted.filter((entry) => entry.kind === kind);
    return entries.length === 0 ? undefined : row(name, kind, entries);
  });
  const head = '| Kind | Files | Lines | Words | Headings | Exports |\n| --- | ---: | ---: | ---: | ---: | ---: |\n';
  return counted.length === 0 ? '' : `${head}${rows.filter(Boolean).join('')}`;
}

function row(name, kind, entries) {
  const { lines, words, headings, exports } = total(entries);
  const cells = [
    name,
    entries.length,
    lines,
    words,
    onlyFor(kind, 'markdown', headings),
    onlyFor(kind, 'code', exports),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function onlyFor(kind, wanted, count) {
  return kind === wanted ? count : '–';
}

function table(counted) {
  if (counted.length === 0) return '';
  const rows = counted.map(({ file, kind, lines, words, headings, exports }) => {
    const cells = [plain(file), lines, words, onlyFor(kind, 'markdown', headings), onlyFor(kind, 'code', exports)];
    return `| ${cells.join(' | ')} |\n`;
  });
  const head = '| File | Lines | Words | Headings | Exports |\n| --- | ---: | ---: | ---: | ---: |\n';
  return `## Files\n\n${head}${rows.join('')}`;
}

function missing(rest) {
  if (rest.length === 0) return '';
  const rows = rest.map(({ file, problem }) => `| ${plain(file)} | ${plain(problem)} |\n`);
  return `## Not counted\n\n| File | Why |\n| --- | --- |\n${rows.join('')}`;
}

/** A name as text of a table cell: nothing in it is Markdown, HTML or a line break. */
function plain(text) {
  return String(text)
    .replaceAll(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
    .replaceAll(/[\\`*_[\]<>|#&~]/g, '\\$&');
}

/** Written beside it and moved into place, so that nobody ever sees half a report. */
function replace(file, content) {
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, content, { flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
