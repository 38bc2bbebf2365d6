import type { ToolCall } from '../../core/conversation.ts';
import type { ModelRequest, ModelResponse, TokenUsage } from '../../core/provider.ts';

/** What a wire format reads of one HTTP request. */
export type WireInput = {
  /** Parsed JSON, not yet checked. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the path, where the model stands there. */
  readonly model: string | undefined;
  /** Whether the path asks for a stream; undefined where the body does. */
  readonly stream: boolean | undefined;
};

/** What an answer has only if the request asks for it. */
export type WireExtras = {
  /** Token counts at the end of a stream. */
  readonly usage: boolean;
  /** Reasoning in a form that can be sent back. */
  readonly sealedThoughts: boolean;
};

/** Extras of a wire that always has them. */
export const ALL_EXTRAS: WireExtras = { usage: true, sealedThoughts: true };

/** A request that the provider's real server would carry out. */
export type WireCall = {
  readonly request: ModelRequest;
  readonly stream: boolean;

  readonly asked: WireExtras;
  /** What a thought of the answer is bound to, where the wire has that. */
  readonly bound?: string;
};

/** An HTTP error. The type is the provider's own word; without one it follows from the status. */
export type WireError = {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  /** Where in the request the fault is. */
  readonly param?: string | undefined;
};

/** A tool call on its way out; `json` is its input as text, which a script may have cut. */
export type WireToolCall = ToolCall & { readonly json: string };

/** An answer on its way out. */
export type WireAnswer = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly WireToolCall[];
  readonly usage: TokenUsage;
  readonly finishReason: ModelResponse['finishReason'];
  /** In how many pieces each part is streamed, from 1. */
  readonly chunks: number;
  readonly asked: WireExtras;
  readonly bound: string | undefined;
};

/** Server-sent events of an answer as text; each piece has one delta of it, so that an answer can be cut between them. */
export type WireFrames = { readonly head: string; readonly pieces: readonly string[]; readonly tail: string };

/** A provider's wire format, as its server speaks it. */
export interface Wire {
  /** Undefined when the path is another's; `query` is what follows its question mark. */
  match(path: string, query: string): Pick<WireInput, 'model' | 'stream'> | undefined;
  /** Checks a request as the real server does. */
  read(input: WireInput): WireCall | { readonly error: WireError };
  frames(answer: WireAnswer): WireFrames;
  /** The answer in one piece of JSON. */
  whole(answer: WireAnswer): string;
  /** Body of an HTTP error. */
  errorBody(error: WireError): string;
  /** An error within a stream that has begun; goes out in a chunk of its own. */
  errorFrame(error: WireError): string;
  /** A frame that the provider's own SDK reads and cannot parse. */
  readonly garbage: string;
}
