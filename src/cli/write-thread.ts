import { OPERATION_BOUNDS } from '../core/operation-bounds.ts';
import type { ProjectConnection } from '../index.ts';
import { eventMarkdown, markdownHead } from './event-markdown.ts';
import { eventLine, type ShownEvent } from './event-text.ts';
import { resultOf } from './operation-answer.ts';
import type { Terminal } from './io.ts';
import { printableJson } from './printable.ts';
import { writeOut } from './write-out.ts';

/** How a log is written: a line for each event, the conversation as Markdown, or an object for each event. */
export const FORMATS = ['text', 'md', 'jsonl'] as const;

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** What is written of a thread. */
export type Writing = {
  readonly id: string;
  readonly format: Format;
  /** Names of events; default: all. */
  readonly types?: readonly string[] | undefined;
  /** First `{"thread": …}`, in JSONL. */
  readonly withRecord?: boolean;
};

/**
 * Writes a thread's log from its beginning, a page at a time, however long it is.
 *
 * @throws SkeinError `thread_not_found` …
 */
export async function writeThread(
  { orchestrator }: Pick<ProjectConnection, 'orchestrator'>,
  { id, format, types, withRecord = false }: Writing,
  stdout: Terminal,
): Promise<void> {
  const facts = resultOf(await orchestrator.call('get_status', { thread_id: id }));
  if (format === 'md') await writeOut(stdout, markdownHead(facts));
  else if (withRecord) await writeOut(stdout, `${printableJson({ thread: { ...facts, success: undefined } })}\n`);
  for (let after = 0, more = true; more;) {
    const input = { thread_id: id, after, types: types && [...types], max_bytes: PAGE_BYTES };
    const page = resultOf(await orchestrator.call('read_events', input));
    await writeOut(stdout, page.events.map(TEXT_OF[format]).join(''));
    ({ last: after, more } = page);
  }
}

const PAGE_BYTES = OPERATION_BOUNDS.page.max;

const TEXT_OF: Readonly<Record<Format, (event: ShownEvent) => string>> = {
  text: (event) => `${eventLine(event)}\n`,
  md: eventMarkdown,
  jsonl: (event) => `${printableJson(event)}\n`,
};
