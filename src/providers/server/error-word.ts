import type { WireError } from './wire.ts';

/** A provider's words for HTTP errors by status; those for 400 and 500 stand for the rest of their kind. */
export type ErrorWords = Readonly<Record<number, string>> & { readonly 400: string; readonly 500: string };

/** An error's own type, or the provider's word for its status. */
export function errorWord({ type, status }: WireError, words: ErrorWords): string {
  return type ?? words[status] ?? words[status >= 500 ? 500 : 400];
}
