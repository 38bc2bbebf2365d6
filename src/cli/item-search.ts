import type { SearchHit } from '../items/search/find-items.ts';
import { SkeinError } from '../index.ts';
import type { ItemServices } from '../tools/item-services.ts';
import type { GivenAction } from '../tools/primary-request.ts';
import type { PrimaryResult, PrimarySuccess } from '../tools/primary-result.ts';
import { readCount } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { openPlaces } from './item-places.ts';
import { openItemServices } from './item-services.ts';
import { COMMON, repeated, valued } from './options.ts';
import { printable, printableJson } from './printable.ts';
import { readWanted, WHICH_ITEMS } from './which-items.ts';

/** In a query `-` excludes a word. */
const QUERY_HINT = 'a query with words that begin with "-" goes behind all options and "--": -- disk -tape';

/** `skein item search QUERY…`: the items that fit, the best first. */
export const itemSearch: Command = defineCommand({
  name: 'item search',
  takes: 'WORDS',
  summary: 'find items: all of the words, a "phrase", begin*, -without, this OR that',
  options: {
    ...WHICH_ITEMS,
    category: valued('CATEGORY', 'this category and those below it'),
    tag: repeated('TAG', 'with this tag'),
    limit: valued('N', 'at most so many, up to 100 (default: 10)'),
    ...COMMON,
  },
  examples: [
    ["skein item search file 'read OR write'", 'of all kinds, the best first'],
    ['skein item search --kind tool -- disk -tape', 'without a word'],
  ],
  hint: QUERY_HINT,
  async run({ values, positionals }, io) {
    if (positionals.length === 0) {
      throw new SkeinError('invalid_argument', "item search takes words to search for; '*' finds every item");
    }
    const { kind, space } = readWanted(values);
    const action = {
      primary: 'search',
      query: positionals.join(' '),
      item_type: kind,
      source: space,
      category: values.category,
      tags: values.tag,
      limit: readCount('--limit', values.limit),
    };
    const places = openPlaces(values.project, io);
    const services = openItemServices(places, io);
    try {
      const { data, warnings = [] } = succeeded(await dispatch(action, services, places.projectPath));
      for (const warning of warnings) io.stderr.write(`warning: ${printable(warning)}\n`);
      if (values.json === true) io.stdout.write(`${printableJson(data)}\n`);
      // What a search gives, `primary-search.ts` says.
      else printHits(data as Found, io);
      return EXIT.completed;
    } finally {
      services.close();
    }
  },
});

function dispatch(action: GivenAction, { dispatcher }: ItemServices, projectPath: string): Promise<PrimaryResult> {
  // Whoever can run a command may see every item.
  const caller = { threadId: undefined, callId: 'item-search', projectPath, allows: () => true };
  return new Promise((resolve) => void dispatcher.dispatch(action, caller, resolve));
}

function succeeded(result: PrimaryResult): PrimarySuccess {
  if (result.status === 'success') return result;
  const { code, error, where, detail } = result;
  throw new SkeinError(code, error, { where, detail });
}

type Hit = Pick<SearchHit, 'title' | 'snippet'> & {
  readonly item_type: string;
  readonly item_id: string;
  readonly source: string;
  readonly shadowed_by?: string;
};
type Found = { readonly results: readonly Hit[]; readonly total: number; readonly skipped: number };

function printHits({ results, total, skipped }: Found, { stdout, stderr }: CliIo): void {
  for (const { item_type: kind, item_id: id, source, title, snippet, shadowed_by: by } of results) {
    const shadowed = by === undefined ? '' : `  [shadowed by ${by}]`;
    stdout.write(`${printable(`${source.padEnd(7)}  ${kind.padEnd(9)}  ${id}${shadowed}`)}\n`);
    const about = [title, snippet].filter((text) => text !== '').join(': ');
    if (about !== '') stdout.write(`    ${printable(about)}\n`);
  }
  const unread = skipped === 0 ? '' : `; ${skipped} can't be read (skein item list names them)`;
  stderr.write(`${results.length} of ${total} found${unread}\n`);
}
