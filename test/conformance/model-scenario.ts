import type { ToolCall } from '../../src/core/conversation.ts';
import type { TokenUsage } from '../../src/core/provider.ts';

/** What a model server does with the next call, whatever its wire format. */
export type Scenario =
  /** A whole answer. */
  | {
      readonly kind: 'answer';
      readonly texts: readonly string[];
      readonly toolCalls: readonly ToolCall[];
      readonly usage: TokenUsage;
      readonly finish: 'stop' | 'tool_calls' | 'length';
    }
  /** An HTTP error with the provider's error body. */
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Takes the request and says nothing. */
  | { readonly kind: 'silent' }
  /** Begins a text and then (`ending`): says nothing, resets the connection, ends the body cleanly, drops it uncleanly. */
  | {
      readonly kind: 'broken_text';
      readonly ending: 'stall' | 'reset' | 'end' | 'drop';
      readonly texts: readonly string[];
    }
  /**
   * Begins a tool call, ends the body cleanly within its input; `closed`: with everything else that belongs to a whole answer, or
   * to one that has reached its limit.
   */
  | { readonly kind: 'cut_tool'; readonly json: string; readonly closed: CutEnd }
  /**
   * What no provider sends: a status, headers, then perhaps a begun text, `bytes` as a body's or (`raw`) as the
   * connection's own, and one of the endings of a broken text.
   */
  | {
      readonly kind: 'hostile';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly begun?: readonly string[];
      readonly bytes: readonly (string | Uint8Array)[];
      readonly raw?: boolean;
      readonly ending: 'stall' | 'end' | 'drop';
    }
  /** An error event within the stream. */
  | { readonly kind: 'error_event'; readonly type: string; readonly message: string };

/** How an answer ends behind a tool input that does not. */
export type CutEnd = false | 'tool_calls' | 'length';

/** A wire format: the events of a scenario as they are sent, and the body of an HTTP error. */
export type Wire = {
  readonly path: string;
  answer(scenario: Extract<Scenario, { kind: 'answer' }>): readonly string[];
  begunText(texts: readonly string[]): readonly string[];
  begunTool(json: string, closed: CutEnd): readonly string[];
  errorEvent(type: string, message: string): readonly string[];
  errorBody(type: string, message: string): string;
};
