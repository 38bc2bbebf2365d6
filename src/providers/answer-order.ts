import type { ModelChunk, ModelRequest } from '../core/provider.ts';

/** What an answer is built for. */
export type AnswerOrder = {
  readonly request: ModelRequest;
  readonly chunk: (chunk: ModelChunk) => void;
  /** What the provider wants back of it is given back under this name. */
  readonly carryName: string;
};
