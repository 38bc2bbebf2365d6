/** A commit under review. */
export type ReviewCommit = {
  readonly hash: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
};

/** A file that differs from how it was before the changes. */
export type ReviewFile = {
  readonly path: string;
  /** Lines; undefined where they are not counted, as in binary files. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
};

/** What is under review: the way from one commit to what the files are now. */
export type Review = {
  readonly branch: string;
  /** The commit before the changes. */
  readonly base: string;
  /** Oldest first; of very many the newest. */
  readonly commits: readonly ReviewCommit[];
  /** How many commits there are; absent: as many as `commits` has. */
  readonly commitCount?: number;
  readonly files: readonly ReviewFile[];
  /** How many of these files are new, and were not looked at any more. */
  readonly uncountedFiles?: number;
  /** Symbol blocks of the files as they were before the changes; may be empty. */
  readonly symbolMap: string;
  /** By path: the diff that leads from a selected file back to what it was. */
  readonly reverseDiffs: ReadonlyMap<string, string>;
};
