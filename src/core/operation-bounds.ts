/** Bounds of what an operation takes and gives. */
export const OPERATION_BOUNDS = {
  /** Characters of an id, whatever it is. */
  id: 200,
  /** Ids of one call; `wait_threads` is bounded by `max_wait_thread_ids` as well. */
  ids: 10_000,
  query: 200,
  message: 100_000,
  /** `forModel`: all of them have room in the 100,000 characters that a model gets of one result. */
  children: { default: 100, max: 1_000, forModel: 200 },
  threads: { default: 100, max: 1_000 },
  hits: { default: 20, max: 100 },
  tail: { default: 50, max: 1_000 },
  /** Bytes of the events of a transcript. */
  transcript: { default: 65_536, max: 1_048_576 },
  /** Bytes of a page of events, unless one event alone has more. */
  page: { default: 262_144, max: 1_048_576 },
  /** Seconds that an answer may be waited for until there are events. */
  news: 20,
  /** Threads that `list_active` names; it counts them all. */
  active: 1_000,
} as const;
