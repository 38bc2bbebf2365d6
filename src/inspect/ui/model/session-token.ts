/** What is needed of the browser to take the token out of the address. */
export type TokenPlace = {
  readonly hash: string;
  readonly kept: Pick<Storage, 'getItem' | 'setItem'>;
  /** Puts another fragment into the address, without an entry in the history. */
  readonly replaceHash: (hash: string) => void;
};

const KEY = 'skein-token';
const TOKEN = /^#token=([^&]*)&?(.*)$/;

/**
 * Takes the token out of an address that comes when the page is there already, as {@link takeToken} does, and has the page
 * loaded again: all that it shows was read with another one.
 */
export function watchToken(page: EventTarget, place: () => TokenPlace, reload: () => void): void {
  page.addEventListener('hashchange', () => {
    const now = place();
    if (!TOKEN.test(now.hash)) return;
    takeToken(now);
    reload();
  });
}

/**
 * The token of this tab: out of the fragment of the address that `skein ui` opened (`#token=…`, perhaps with a route behind
 * `&`), which is cleared at once so that the token is in no history and on no screen; or as it was kept for the session.
 */
export function takeToken({ hash, kept, replaceHash }: TokenPlace): string | undefined {
  const found = TOKEN.exec(hash);
  if (!found) return kept.getItem(KEY) ?? undefined;
  const [, token = '', rest = ''] = found;
  kept.setItem(KEY, token);
  replaceHash(`#${rest || '/'}`);
  return token;
}
