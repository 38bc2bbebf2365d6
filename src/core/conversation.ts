import type { ContentPart } from './content-part.ts';

/** A tool call a model asked for. `input` is parsed JSON, not yet checked against the tool's schema. */
export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

/**
 * What a provider gave with an answer and wants back word for word, such as signed thoughts. Plain JSON; an adapter reads
 * only what stands under its own name (`provider`), so that a conversation may go on with another one.
 */
export type ProviderCarry = { readonly provider: string; readonly parts: readonly unknown[] };

/** One message of a conversation, the same for every provider. */
export type Message =
  /** `parts`: text, images, files and audio in order; `text` is then their text alone. Absent: there is nothing but text. */
  | { readonly role: 'user'; readonly text: string; readonly parts?: readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly carry?: ProviderCarry | undefined;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly isError: boolean };

/** A tool as it is offered to a model: flattened name, JSON Schema of its input. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
};
