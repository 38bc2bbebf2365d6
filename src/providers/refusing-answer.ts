import type { HttpAnswer } from './http-fetch.ts';

/** What is said in place of a provider that is not asked. */
type Refusal = { readonly type: string; readonly code: string; readonly message: string };

/** In the form in which servers answer, so that it passes through every SDK. Its status is one that is not tried again. */
export function refusingAnswer(error: Refusal): HttpAnswer {
  const bytes = Buffer.from(JSON.stringify({ type: 'error', error }));
  return {
    status: 404,
    headers: { 'content-type': 'application/json' },
    body: (async function* body() {
      yield bytes;
    })(),
  };
}
