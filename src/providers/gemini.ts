import type { GenerateContentParameters, GoogleGenAI } from '@google/genai/web';
import { loadOnce } from '../core/load-once.ts';
import type { Provider } from '../core/provider.ts';
import type { KeyedOptions } from './adapter-options.ts';
import { createCloser } from './close-in-slices.ts';
import { GeminiAnswer } from './gemini-answer.ts';
import { describeGeminiError, geminiHttpError } from './gemini-failure.ts';
import { geminiRequest } from './gemini-request.ts';
import { createFetch, type Fetch } from './http-fetch.ts';
import { sendCarrying } from './send-carrying.ts';
import { startStreamedCall } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/** Gemini over generateContent (S2 §6.12); its base URL is without the version, which is added. The SDK is loaded with the first call; it never retries and never goes on by itself. */
export function createGeminiProvider(options: KeyedOptions): Provider {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const fetch = options.fetch ?? createFetch();
  const closeSoon = createCloser();
  const id = options.id ?? 'gemini';
  const carryName = `${id}/gemini`;
  const client = loadOnce(() => createClient(options));
  return {
    id,
    call: (request, sink) =>
      startStreamedCall(
        {
          async open(signal) {
            const sdk = await client();
            const sendWith = (name: string | undefined): Promise<Response> =>
              send(sdk, { params: geminiRequest(request, name), signal, fetch });
            return sendCarrying(sendWith, { carryName, refusal: SIGNATURE_REFUSED, describe: describeGeminiError });
          },
          assembler: (chunk) => new GeminiAnswer({ request, chunk, carryName }),
          describe: describeGeminiError,
          secret: options.apiKey,
        },
        { sink, clock: options.clock, timeouts, closeSoon },
      ),
  };
}

/** How a signature is refused that can't be read, or no longer: "Corrupted thought signature." */
const SIGNATURE_REFUSED = /thought.?signature/i;

/**
 * The SDK's build for browsers: the one for Node reads keys, addresses and versions from the environment, and costs three
 * times as much to load for what is not used here (docs/adr/0032-gemini.md).
 */
async function createClient({ apiKey, baseUrl }: KeyedOptions): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai/web');
  return new GoogleGenAI({
    apiKey,
    vertexai: false,
    // Without it the SDK talks to v1, which does not know every field that is sent.
    apiVersion: 'v1beta',
    httpOptions: { baseUrl: baseUrl ?? 'https://generativelanguage.googleapis.com' },
  });
}

type Sending = { readonly params: GenerateContentParameters; readonly signal: AbortSignal; readonly fetch: Fetch };

/**
 * The SDK sends. It has no way to hand out the raw answer, but does not begin to read one before it is asked for events,
 * which it never is here. It loses the headers of an error, so that one is thrown before it sees it.
 */
async function send(client: GoogleGenAI, { params, signal, fetch }: Sending): Promise<Response> {
  const received = Promise.withResolvers<Response>();
  const keep: Fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { ok, status, headers } = answer;
    if (!ok) throw geminiHttpError({ status, headers, text: await answer.text() });
    received.resolve(answer);
    return answer;
  };
  const config = { ...params.config, abortSignal: signal, httpOptions: { fetch: keep } };
  await client.models.generateContentStream({ ...params, config });
  return received.promise;
}
