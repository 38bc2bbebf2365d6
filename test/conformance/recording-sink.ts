import type { ModelChunk, ModelFailure, ModelResponse, ModelSink } from '../../src/core/provider.ts';

/** How a call ended. */
export type CallEnd = { readonly done: ModelResponse } | { readonly failed: ModelFailure };

/** A sink that remembers everything it hears. */
export interface RecordingSink extends ModelSink {
  readonly chunks: readonly ModelChunk[];
  readonly ends: readonly CallEnd[];
  /** Settles with the first end. */
  readonly ended: Promise<CallEnd>;
  /** Settles when a chunk has arrived. */
  readonly begun: Promise<void>;
  /** The streamed text, joined. */
  text(): string;
}

/** Makes an empty sink. */
export function createRecordingSink(): RecordingSink {
  const chunks: ModelChunk[] = [];
  const ends: CallEnd[] = [];
  const ended = Promise.withResolvers<CallEnd>();
  const begun = Promise.withResolvers<void>();
  const end = (how: CallEnd): void => {
    ends.push(how);
    ended.resolve(how);
  };
  return {
    chunks,
    ends,
    ended: ended.promise,
    begun: begun.promise,
    text: () => chunks.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : [])).join(''),
    chunk: (chunk) => {
      chunks.push(chunk);
      begun.resolve();
    },
    done: (response) => end({ done: response }),
    failed: (failure) => end({ failed: failure }),
  };
}
