/** What is needed of the browser to take the token out of the address. */
export type TokenPlace = {
  readonly hash: string;
  readonly kept: Pick<Storage, 'getItem' | 'setItem'>;
  /** Puts another fragment into the address, without an entry in the history. */
  readonly replaceHash: (hash: string) => void;
};

const KEY = 'skein-token';

/**
 * The token of this tab: out of the fragment of the address that `skein ui` opened (`#token=…`, perhaps with a route behind
 * `&`), which is cleared at once so that the token is in no history and on no screen; or as it was kept for the session.
 */
export function takeToken({ hash, kept, replaceHash }: TokenPlace): string | undefined {
  const found = /^#token=([^&]*)&?(.*)$/.exec(hash);
  if (!found) return kept.getItem(KEY) ?? undefined;
  const [, token = '', rest = ''] = found;
  kept.setItem(KEY, token);
  replaceHash(`#${rest || '/'}`);
  return token;
}
