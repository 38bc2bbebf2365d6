/** What was collected: threads that are in the archive now, and bytes that the database has less. */
export type CollectedGarbage = { readonly archived: number; readonly freedBytes: number };
