import type { EventType } from './events.ts';
import type { ThreadNo } from './ids.ts';

/** Which events of a thread a query returns. */
export type TranscriptOptions = {
  /** Only so many, the last ones; default: all. */
  readonly tail?: number;
  /** Only of these types; default: all. */
  readonly types?: readonly EventType[];
};

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
