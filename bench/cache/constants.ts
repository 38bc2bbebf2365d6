/** What the simulation takes for granted: the provider's cache, the sizes of a session, and how it goes. */
export const CACHE = {
  /** Marks a request may have. */
  marks: 4,
  /** Blocks before a mark at which an earlier entry is looked for. */
  lookback: 20,
  /** Tokens a prefix must have to be kept. */
  minimum: 1024,
  /** Prices relative to a token that is neither read from the cache nor written to it. */
  write: 1.25,
  read: 0.1,
  uncached: 1,
} as const;

/** Tokens of what a session does not say. */
export const TOKENS = {
  /** System prompt with the legend. */
  system: 2500,
  reminder: 150,
  question: 80,
  answer: 400,
  order: 60,
  /** The reply to an order, beside the lines it takes away and adds. */
  reply: 150,
  summary: 1000,
  acknowledgement: 4,
  /** A path in the list of all files. */
  path: 8,
  /** A symbol block that has a path and nothing else. */
  pathBlock: 10,
} as const;

/** How a session goes. */
export const SESSION = {
  turns: 40,
  /** Question turns before each edit turn; both forms are replayed. */
  questions: [1, 4],
  /** Commits for which a touched file stays selected. */
  selectedFor: 3,
  /** Tokens of history that start a compaction, and of the newest messages that stay word for word. */
  compactAt: 24_000,
  keep: 6_000,
} as const;

/** How sessions are made of a git history. */
export const COMMITS = {
  /** A file with more tokens was made by a program. */
  fileTokens: 20_000,
  /** The most files a commit may touch; of one that touches more, so many are a part. */
  touched: 8,
  part: 4,
  /** How much of a declaration an outline shows, in characters. */
  shown: 48,
} as const;

/** How the order that knows the future weighs a change by the number of commits until it comes. */
export const FORESIGHT = { rate: 3, power: 2.5 } as const;
