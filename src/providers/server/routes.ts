import { anthropicWire } from './anthropic-wire.ts';
import { openaiChatWire } from './openai-chat-wire.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import type { Wire, WireInput } from './wire.ts';

/** Where a request goes. */
export type Route = Pick<WireInput, 'model' | 'stream'> & { readonly wire: Wire };

const WIRES: readonly Wire[] = [anthropicWire, openaiChatWire, openaiResponsesWire];

/** Finds the wire format of a path; undefined where none has it. */
export function findRoute(path: string): Route | undefined {
  for (const wire of WIRES) {
    const found = wire.match(path);
    if (found) return { ...found, wire };
  }
  return undefined;
}
