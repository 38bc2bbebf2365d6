import type { Message, ToolDefinition } from '../core/conversation.ts';
import { SkeinError } from '../core/errors.ts';
import { MAX_NANO_USD, type NanoUsd } from '../core/money.ts';
import type { ModelPrice, ModelRates, ModelRequest, TokenUsage } from '../core/provider.ts';
import { estimateMediaTokens } from './media-tokens.ts';

/**
 * Cost of one call in nano-USD, rounded up so that it is never understated. `inputTokens` is everything the call read;
 * the part that came from the cache and the part that went into it have prices of their own. Audio costs as much more as its
 * rate is above that of input, cached or not: nobody says which of it was. What has read nothing was no call. Throws `invalid_argument` for counts or prices
 * that are not amounts.
 */
export function priceOf(usage: TokenUsage, price: ModelPrice): NanoUsd {
  const rates = ratesOf(usage.inputTokens, price);
  const audio = Math.max(0, (rates.audio ?? 0) - rates.input);
  const uncached = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  return roundUp(
    uncached * rates.input +
      usage.outputTokens * rates.output +
      usage.cacheReadTokens * rates.cacheRead +
      usage.cacheWriteTokens * rates.cacheWrite +
      (usage.audioTokens ?? 0) * audio +
      (usage.inputTokens > 0 ? (rates.call ?? 0) : 0),
  );
}

function ratesOf(inputTokens: number, price: ModelPrice): ModelRates {
  return price.above?.findLast(({ tokens }) => inputTokens > tokens) ?? price;
}

/** The largest call that one may become. */
export type WorstCall = {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  readonly hasAudio: boolean;
};

/**
 * The most a call can cost in nano-USD: all of its input at the dearest way to read it, all of its output used. What
 * is reserved before the call is sent (contracts, "Ledger"). Of rates that go by the length of the call, those that it
 * could reach if its input was counted somewhat too small. `hasAudio`: all of the input may have to be paid as that.
 */
export function worstCase(call: WorstCall, price: ModelPrice): NanoUsd {
  let worst = costAt(price, call);
  for (const step of price.above ?? []) if (isInReach(step, call)) worst = Math.max(worst, costAt(step, call));
  return roundUp(worst);
}

/** How many tokens a call may answer with so that its worst case is no more than an amount; below 0 if its input alone is. */
export function affordableOutput(call: WorstCall, price: ModelPrice, amount: NanoUsd): number {
  const above = price.above?.filter((step) => isInReach(step, call)) ?? [];
  const paid = [price, ...above].map((rates) => (amount - costOfAsking(rates, call)) / rates.output);
  return Math.floor(Math.min(...paid));
}

function isInReach({ tokens }: { readonly tokens: number }, { inputTokens }: WorstCall): boolean {
  return inputTokens * COUNTED_SHORT > tokens;
}

function costAt(rates: ModelRates, call: WorstCall): number {
  return costOfAsking(rates, call) + call.maxOutputTokens * rates.output;
}

/** All but the answer. */
function costOfAsking({ call: fee = 0, ...rates }: ModelRates, { inputTokens, hasAudio }: WorstCall): number {
  const { input, cacheRead, cacheWrite, audio = 0 } = rates;
  return inputTokens * Math.max(input, cacheRead, cacheWrite, hasAudio ? audio : 0) + fee;
}

/** How much longer than it was counted an input is taken to be at most. */
const COUNTED_SHORT = 1.1;

/** UTF-8 bytes a token holds at the least, nearly always: prose has 4 and more, code and JSON 3, CJK 3. */
const BYTES_PER_TOKEN = 3;
/** Role and separators of a message, name and braces of a call or a tool. */
const FRAME_TOKENS = 8;

/** Tokens of a text, estimated from above. Additive: a conversation's estimate is the sum of its parts'. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * Tokens of one message, estimated from above unless `count` counts its texts; add it when the message is appended instead
 * of counting anew.
 */
export function estimateMessageTokens(message: Message, count: (text: string) => number = estimateTextTokens): number {
  let tokens = FRAME_TOKENS + count(message.text);
  if (message.role === 'user') return tokens + estimateMediaTokens(message.parts);
  if (message.role !== 'assistant') return tokens;
  for (const call of message.toolCalls) {
    tokens += FRAME_TOKENS + count(call.name) + count(JSON.stringify(call.input));
  }
  return tokens;
}

/** Tokens of what stands before the messages and never changes in a thread: system prompt and tools. */
export function estimateHeadTokens(system: string, tools: readonly ToolDefinition[]): number {
  let tokens = estimateTextTokens(system);
  for (const tool of tools) {
    tokens += FRAME_TOKENS + estimateTextTokens(tool.name) + estimateTextTokens(tool.description);
    tokens += estimateTextTokens(JSON.stringify(tool.inputSchema));
  }
  return tokens;
}

/** Tokens of a whole request: {@link estimateHeadTokens} and the sum of {@link estimateMessageTokens}. */
export function estimateInputTokens(request: Pick<ModelRequest, 'system' | 'messages' | 'tools'>): number {
  let tokens = estimateHeadTokens(request.system, request.tools);
  for (const message of request.messages) tokens += estimateMessageTokens(message);
  return tokens;
}

/**
 * Prices may be fractions of a nano-USD: fifteen digits are kept, so that 0.1 * 3 does not round up to 1. Where they would leave
 * out whole ones, all are.
 */
function roundUp(amount: number): NanoUsd {
  if (!(amount >= 0)) throw new SkeinError('invalid_argument', `A cost of ${amount} nano-USD is not an amount`);
  const exact = amount < 1e15 ? Number(amount.toPrecision(15)) : amount;
  return Math.min(MAX_NANO_USD, Math.ceil(exact));
}
