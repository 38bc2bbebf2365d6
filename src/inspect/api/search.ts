/**
 * `GET /api/search?query=TEXT&cursor=CURSOR&limit=N&under=ID`: where a text stands in the logs of all threads or of one tree,
 * newest thread first, whatever its case. It looks for at most a second: with a `next` and few hits there is more to look
 * through. What is archived is read by its id, and not searched.
 */
export type SearchAnswer = {
  readonly hits: readonly SearchHit[];
  /** Threads that this page looked through. */
  readonly searched: number;
  /** The `cursor` of the next page; absent: everything was looked through. */
  readonly next?: string;
  /** What was to be looked through is archived: nothing was. */
  readonly archived?: true;
};

/** A place where a text was found. */
export type SearchHit = {
  readonly thread_id: string;
  readonly directive: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly at_ms: number;
  readonly snippet: string;
};
