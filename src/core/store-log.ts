import type { ThreadNo } from './ids.ts';

/**
 * Where a page of a log begins: the chunks below a sequence number, newest first, those above it, oldest first, or those
 * from the one on that holds it, or would. `chunks`: at most so many of them, fewer than there are in a page.
 */
export type LogPlace =
  | { readonly before: number; readonly chunks?: number }
  | { readonly after: number }
  | { readonly from: number };

/** Some events of a log as JSON lines, and the sequence number of the first of them. */
export type LogChunk = { readonly first: number; readonly lines: string };

/** A page of a query: at most so many, after this thread. */
export type Page = {
  /** Default 100. */
  readonly limit?: number;
  readonly after?: ThreadNo;
};
