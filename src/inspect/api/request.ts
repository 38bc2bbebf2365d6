/** The header with the token; it comes in the fragment of the page's address (`#token=…`) and stands in no other address. */
export const TOKEN_HEADER = 'x-skein-token';

/** Parent of threads that have none, where a parent is named: `?parent=root`, `?level=root`. */
export const ROOT = 'root';

/** All threads, whatever is above them, where a parent is named: `?parent=all`, `?level=all`. */
export const ALL = 'all';

/** Why something was not done: HTTP 400, 403, 404, 405, 409, 413, 415, 500 or 503. `code` is a `SkeinErrorCode`. */
export type ApiError = { readonly error: { readonly code: string; readonly message: string } };
