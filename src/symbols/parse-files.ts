import { hash } from 'node:crypto';
import { own } from '../core/record.ts';
import { appendCache } from './cache-file.ts';
import { stampOf } from './file-stamp.ts';
import { readSymbols } from './file-symbols.ts';
import type { Grammars } from './grammars.ts';
import { languageOf } from './languages.ts';
import { type ProjectFile, readProjectFile } from './project-file.ts';
import type { FileSymbols, IndexedFile, ParseResult, ParseTask } from './symbol-task.ts';

/** Reads files, parses those that are not as known, and puts what is in them into the cache. */
export async function parseFiles(task: ParseTask, grammars: Grammars): Promise<ParseResult> {
  const entries: IndexedFile[] = [];
  const same: { path: string; stamp: string }[] = [];
  for (const path of task.paths) {
    const file = readProjectFile(task.root, path);
    if (!file) continue;
    const stamp = file.stats ? stampOf(file.stats, task.now) : '';
    const content = file.kind === 'text' ? hash('sha256', file.bytes) : '';
    if (content !== '' && content === contentOf(path, task)) same.push({ path, stamp });
    else entries.push({ path, stamp, content, ...(await symbolsOf(path, file, grammars)) });
  }
  // What failed once may go well another time, e.g. on a machine that is less busy.
  const sound = entries.filter(({ problem }) => problem === undefined);
  appendCache(task.cacheFolder, sound);
  return { entries, same };
}

function contentOf(path: string, { contents = {} }: ParseTask): string | undefined {
  return own(contents, path);
}

async function symbolsOf(path: string, file: ProjectFile, grammars: Grammars): Promise<FileSymbols> {
  const found = languageOf(path);
  if (file.kind === 'unusable' || !found) return noBlock(file.kind === 'unusable' ? file.reason : 'no known language');
  return readSymbols({ path, text: file.text, language: found.language }, await grammars(found.grammar));
}

/** What is no text of a reasonable size has no block at all. */
function noBlock(problem: string): FileSymbols {
  return { block: '', hash: '', names: '', uses: '', links: [], problem };
}
