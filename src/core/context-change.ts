/** A web page as it is shown: its text, and its title if it has one. */
export type ShownPage = { readonly title?: string; readonly content: string };

/**
 * A change of what a thread whose prompt stands in tiers shows its model beside the conversation. Its log has them: who reads
 * a thread back finds there what was selected, fetched and reviewed. Paths are relative to the project, with `/`.
 */
export type ContextChange = {
  readonly selected?: readonly string[];
  readonly dropped?: readonly string[];
  /** A web page, as text. */
  readonly fetched?: { readonly url: string } & ShownPage;
  /** URLs that are shown no longer. */
  readonly forgotten?: readonly string[];
  /** The commit before the changes under review; null = nothing is under review any longer. */
  readonly review?: { readonly base: string } | null;
};
