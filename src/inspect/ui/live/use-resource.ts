import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, RequestFailure } from './api-client.ts';
import { createRefresher, type Refresher } from './refresher.ts';

/** Something that is read from the API; while it is read again, what was there stays. */
export type Resource<Value> = {
  readonly value: Value | undefined;
  readonly failure: RequestFailure | undefined;
};

/** What is read, by which name, and when again. */
export type ResourceOptions<Value> = {
  /** What was read under another key is forgotten. */
  readonly key: string;
  /** With another version it is read again, at most every `everyMs`. */
  readonly version?: number | string;
  readonly everyMs?: number;
  /** What was read does not change any more: no version has it read again. */
  readonly isFinal?: (value: Value) => boolean;
  readonly read: (signal: AbortSignal) => Promise<Answer<Value>>;
};

/** Reads something as long as the component is there. */
export function useResource<Value>({
  key,
  version = 0,
  everyMs = 1_000,
  isFinal = () => false,
  read,
}: ResourceOptions<Value>): Resource<Value> {
  const [state, setState] = useState<Resource<Value> & { readonly key: string }>({ ...NOTHING, key });
  const refresher = useRef<Refresher | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    const own = createRefresher({
      everyMs,
      now: () => performance.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      async read() {
        const answer = await read(gone.signal);
        if (gone.signal.aborted) return;
        setState((before) =>
          answer.ok
            ? { key, value: answer.value, failure: undefined }
            : { key, value: before.key === key ? before.value : undefined, failure: answer.failure },
        );
      },
    });
    refresher.current = own;
    return () => {
      own.close();
      gone.abort();
    };
  }, [key]);
  const { value, failure } = state.key === key ? state : NOTHING;
  useEffect(() => {
    if (value === undefined || failure || !isFinal(value)) refresher.current?.wake();
  }, [key, version]);
  return { value, failure };
}

const NOTHING = { value: undefined, failure: undefined };
