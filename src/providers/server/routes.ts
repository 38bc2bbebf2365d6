import { anthropicWire } from './anthropic-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { openaiChatWire } from './openai-chat-wire.ts';
import { openaiResponsesWire } from './openai-responses-wire.ts';
import type { Wire, WireInput } from './wire.ts';

/** Where a request goes. */
export type Route = Pick<WireInput, 'model' | 'stream'> & { readonly wire: Wire };

const WIRES: readonly Wire[] = [anthropicWire, openaiChatWire, openaiResponsesWire, geminiWire];

/** Finds the wire format of a URL's path; undefined where none has it. */
export function findRoute(url: string): Route | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  for (const wire of WIRES) {
    const found = wire.match(path, query);
    if (found) return { ...found, wire };
  }
  return undefined;
}
