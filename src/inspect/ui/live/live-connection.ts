import type { LiveMessage } from '../../api.ts';
import { createSseParser } from '../model/sse-parser.ts';
import type { Answer, RequestFailure } from './api-client.ts';

/** What the page looks at. */
export type Interest = { readonly levels: readonly string[]; readonly thread: string | undefined };

/** `from`: where to go on, so that nothing is missed; undefined: from now on. */
export type LiveRequest = Interest & { readonly from: string | undefined };

/** How the live connection stands. */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost'; readonly failure: RequestFailure; readonly retryAtMs: number };

/** What the connection needs, and whom it tells. */
export type LiveOptions = {
  readonly connect: (ask: LiveRequest, signal: AbortSignal) => Promise<Answer<ReadableStream<Uint8Array>>>;
  /** `missed`: things may have happened since the last message, so all that is shown is to be read again. */
  readonly heard: (message: LiveMessage, missed: boolean) => void;
  /** Nothing was missed, and these levels are followed from now on. */
  readonly begun: (levels: readonly string[]) => void;
  readonly changed: (state: ConnectionState) => void;
  /** Resolves after so many milliseconds, or earlier when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
};

/** A connection that is there again after it was lost. */
export type LiveConnection = {
  /** Undefined: nothing, and no connection is open; what is followed after that is to be read again. */
  follow(interest: Interest | undefined): void;
};

/**
 * Follows what the page looks at. Another interest is another request, which goes on where the old one has told everything up to;
 * that one is listened to until the new one has said hello. So nothing is missed between them.
 */
export function createLiveConnection(options: LiveOptions): LiveConnection {
  let asked: Interest | undefined;
  let newest = new AbortController();
  let open: AbortController | undefined;
  let followed: ReadonlySet<string> = new Set();
  let upTo: string | undefined;

  const run = async (interest: Interest, own: AbortController): Promise<void> => {
    for (let attempt = 0; !own.signal.aborted; attempt++) {
      const answer = await options.connect({ ...interest, from: open && upTo }, own.signal);
      const hello = (): boolean => {
        attempt = 0;
        const missed = open === undefined || open === own;
        if (open !== own) open?.abort();
        open = own;
        options.changed({ kind: 'open' });
        const levels = interest.levels.filter((level) => !followed.has(level));
        followed = new Set(interest.levels);
        if (!missed && levels.length > 0) options.begun(levels);
        return missed;
      };
      const heard = (message: LiveMessage): void => {
        // What was read before it was replaced or closed: its successor tells it.
        if (own.signal.aborted) return;
        const missed = message.type === 'hello' ? hello() : message.type === 'dropped';
        if (open === own && 'up_to' in message) upTo = message.up_to;
        options.heard(message, missed);
      };
      const failure = answer.ok ? await readStream(answer.value, heard) : answer.failure;
      if (own.signal.aborted) return;
      if (open === own) open = undefined;
      // The one that was replaced does not come back, and says nothing while its successor connects.
      if (own !== newest) return;
      const pause = backOff(attempt);
      options.changed({ kind: 'lost', failure, retryAtMs: options.now() + pause });
      await options.wait(pause, own.signal);
    }
  };

  return {
    follow(interest) {
      if (isSame(asked, interest)) return;
      asked = interest;
      if (newest !== open) newest.abort();
      if (!interest) {
        open?.abort();
        open = undefined;
        return;
      }
      newest = new AbortController();
      if (!open) options.changed({ kind: 'connecting' });
      void run(interest, newest); // Nothing in it rejects: the client and the reader answer failures.
    },
  };
}

type Heard = (message: LiveMessage) => void;

async function readStream(stream: ReadableStream<Uint8Array>, heard: Heard): Promise<RequestFailure> {
  const decoder = new TextDecoder();
  // The server's types are those of api.ts, which both sides share.
  const parse = createSseParser((data) => heard(JSON.parse(data) as LiveMessage));
  try {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { code: 'closed', message: 'The dashboard’s server has closed the connection' };
      parse(decoder.decode(value, { stream: true }));
    }
  } catch (thrown) {
    return { code: 'broken', message: thrown instanceof Error ? thrown.message : 'The connection broke off' };
  }
}

const LONGEST_PAUSE_MS = 10_000;

function backOff(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** attempt);
}

function isSame(one: Interest | undefined, other: Interest | undefined): boolean {
  return one?.thread === other?.thread && one?.levels.join() === other?.levels.join();
}
