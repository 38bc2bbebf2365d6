import type { EventType } from './events.ts';
import type { ThreadNo } from './ids.ts';

/** Which events of a thread a query returns. */
export type TranscriptOptions = {
  /** Only so many, the last ones; default: all. */
  readonly tail?: number;
  /** Only of these types; default: all. */
  readonly types?: readonly EventType[];
};

/**
 * Where a page of a log begins: the chunks below a sequence number, newest first, those above it, oldest first, or those
 * from the one on that holds it, or would.
 */
export type LogPlace = { readonly before: number } | { readonly after: number } | { readonly from: number };

/** Some events of a log as JSON lines, and the sequence number of the first of them. */
export type LogChunk = { readonly first: number; readonly lines: string };

/** A page of a query: at most so many, after this thread. */
export type Page = {
  /** Default 100. */
  readonly limit?: number;
  readonly after?: ThreadNo;
};

/** An event in which a text was found. */
export type SearchHit = {
  readonly thread: ThreadNo;
  readonly sequence: number;
  readonly eventType: EventType;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The text with some of what stands around it. */
  readonly snippet: string;
};

/** What a search found, in the order of threads and events; `truncated`: it stopped at its limit. */
export type SearchResult = { readonly hits: readonly SearchHit[]; readonly truncated: boolean };
