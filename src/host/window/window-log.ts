import type { Config } from '../../config/config.ts';
import { SkeinError } from '../../core/errors.ts';
import type { OperationResult } from '../../core/operations.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { openEvents } from '../handle/event-feed.ts';
import { cutEvent } from '../operations/cut-event.ts';
import { chunksOf } from '../operations/stored-threads.ts';

/** An event of a page; long texts are cut (`cut`), since one may have megabytes. */
export type WindowEvent = OperationResult<'read_events'>['events'][number];

/** A page of a log, oldest event first. */
export type WindowLog = {
  readonly events: readonly WindowEvent[];
  /** The `before` of the page that precedes; undefined: it begins here. */
  readonly before: number | undefined;
  /** The `after` of the page that follows, now or later. */
  readonly after: number;
  /** There is more after it already. */
  readonly more: boolean;
};

/** Which page: what precedes an event, what follows one, or (neither) the end. */
export type LogPageOptions = {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** Events. */
  readonly limit: number;
  /** Names of events; default: all. */
  readonly types?: ReadonlySet<string> | undefined;
  /** What of a payload is wanted, so that more events have room; default: all. Texts beyond 32,768 characters are cut. */
  readonly keep?: ((payload: WindowEvent['payload']) => WindowEvent['payload']) | undefined;
};

/** What a log is read with. */
export type LogSources = { readonly reader: StoreReader; readonly config: Config };

/** Characters of a page, and of an event of it. */
const PAGE_CHARACTERS = 262_144;
const EVENT_CHARACTERS = 32_768;

/** Characters of a log that one page looks through, where only some events are wanted. */
const MOST_LOOKED_AT = 8 * 1_048_576;

/** Reads a page of a thread's log. */
export function readLogPage(row: ThreadRow, options: LogPageOptions, sources: LogSources): Promise<WindowLog> {
  return options.after === undefined ? readBackwards(row, options, sources) : readOn(row, options, sources);
}

/** One event, whole. @throws SkeinError `invalid_argument`: there is none of this number */
export async function readEvent(row: ThreadRow, sequence: number, sources: LogSources): Promise<WindowEvent> {
  for await (const lines of chunksOf(sources.reader, row.thread, { from: sequence })) {
    const found = openEvents(lines, row.threadId, sources.config).find((event) => event.sequence === sequence);
    if (found) return found;
    break;
  }
  throw new SkeinError('invalid_argument', `The log of thread ${row.threadId} has no event ${sequence}`);
}

async function readOn(row: ThreadRow, options: LogPageOptions, { reader, config }: LogSources): Promise<WindowLog> {
  const { after = 0, types } = options;
  const page = createPage(options);
  let last = after;
  let looked = 0;
  for await (const lines of chunksOf(reader, row.thread, { from: after + 1 })) {
    for (const event of openEvents(lines, row.threadId, config)) {
      const sequence = event.sequence ?? 0;
      if (sequence <= last) continue;
      if (page.isFull() || looked > MOST_LOOKED_AT) return { ...done(page, last), more: true };
      last = sequence;
      if (!types || types.has(event.event_type)) page.add(event);
    }
    looked += lines.length;
  }
  return { ...done(page, last), more: false };
}

async function readBackwards(
  row: ThreadRow,
  options: LogPageOptions,
  { reader, config }: LogSources,
): Promise<WindowLog> {
  const { before = Number.MAX_SAFE_INTEGER, types } = options;
  const page = createPage(options);
  let first: number | undefined;
  let last: number | undefined;
  let looked = 0;
  for await (const lines of chunksBefore(reader, row.thread, before)) {
    for (const event of openEvents(lines, row.threadId, config).toReversed()) {
      const sequence = event.sequence ?? 0;
      if (sequence >= before) continue;
      if (page.isFull() || looked > MOST_LOOKED_AT) return { ...backwards(page, last), before: first };
      last ??= sequence;
      first = sequence;
      if (!types || types.has(event.event_type)) page.add(event);
    }
    looked += lines.length;
  }
  return { ...backwards(page, last), before: undefined };
}

/** Chunks that have something before an event, newest first. */
function chunksBefore(reader: StoreReader, thread: number, before: number): AsyncGenerator<string, void> {
  return chunksOf(reader, thread, before === Number.MAX_SAFE_INTEGER ? 'newest first' : { before });
}

type Page = {
  readonly events: WindowEvent[];
  readonly add: (event: WindowEvent) => void;
  readonly isFull: () => boolean;
};

function createPage({ limit, keep }: LogPageOptions): Page {
  const events: WindowEvent[] = [];
  let characters = 0;
  return {
    events,
    isFull: () => events.length >= limit || characters >= PAGE_CHARACTERS,
    add(event) {
      const shown = cutEvent(keep ? { ...event, payload: keep(event.payload) } : event, EVENT_CHARACTERS);
      characters += JSON.stringify(shown.payload).length;
      events.push(shown);
    },
  };
}

function done({ events }: Page, last: number): Pick<WindowLog, 'events' | 'after' | 'before'> {
  const first = events[0]?.sequence;
  return { events, after: last, before: first !== undefined && first > 1 ? first : undefined };
}

function backwards({ events }: Page, last: number | undefined): Pick<WindowLog, 'events' | 'after' | 'more'> {
  return { events: events.toReversed(), after: last ?? 0, more: false };
}
