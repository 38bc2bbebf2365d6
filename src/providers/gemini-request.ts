import type {
  Content,
  FunctionCall,
  FunctionDeclaration,
  GenerateContentParameters,
  Part,
  ThinkingConfig,
  ThinkingLevel,
} from '@google/genai/web';
import type { Message, ToolCall, ToolDefinition } from '../core/conversation.ts';
import type { ModelRequest, ReasoningSetting } from '../core/provider.ts';
import { callName } from './call-name.ts';
import { currentSchema } from './current-schema.ts';
import { geminiPart } from './gemini-media.ts';

/** A request in generateContent's words: the system prompt in its own field (S0), what was given under `carryName` as it was. */
export function geminiRequest(request: ModelRequest, carryName: string | undefined): GenerateContentParameters {
  const { model, system, messages, tools, maxOutputTokens, reasoning } = request;
  return {
    model,
    contents: toContents(messages, carryName),
    config: {
      maxOutputTokens,
      // The SDK would send further requests by itself; each call is the thread's own decision and cost.
      automaticContinuation: false,
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
      ...(reasoning && { thinkingConfig: thinking(reasoning) }),
    },
  };
}

/** What Google documents for calls without one: newer models refuse the first call of a message that has none. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** Neighbours of one role become one content: all results of a message's calls must stand in the next one. */
function toContents(messages: readonly Message[], carryName: string | undefined): Content[] {
  const contents: { role: 'user' | 'model'; parts: Part[] }[] = [];
  const calls = new Map<string, FunctionCall>();
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = message.role === 'assistant' ? toAnswer(message, { calls, carryName }) : toQuestion(message, calls);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts: [...parts] });
  }
  return contents;
}

type Answer = Extract<Message, { role: 'assistant' }>;
/** What was called so far, by our ids. */
type Calls = Map<string, FunctionCall>;

/** A result names its call, and has an id only if Gemini gave one. */
function toQuestion(message: Exclude<Message, Answer>, calls: Calls): readonly Part[] {
  if (message.role === 'user') return message.parts?.flatMap(geminiPart) ?? textPart(message.text);
  const { name = message.callId, id } = calls.get(message.callId) ?? {};
  const response = message.isError ? { error: message.text } : { output: message.text };
  return [{ functionResponse: { name, response, ...(id && { id }) } }];
}

function toAnswer(
  message: Answer,
  { calls, carryName }: { calls: Calls; carryName: string | undefined },
): readonly Part[] {
  const parts = carriedParts(message, carryName) ?? [...textPart(message.text), ...toCalls(message.toolCalls)];
  const sent = callsOf(parts);
  for (const [at, { id, name }] of message.toolCalls.entries()) calls.set(id, sent[at] ?? { name });
  return parts;
}

/** The parts as they came, if they still say what the message says: not if its calls are told as text, or were. */
function carriedParts({ carry, text, toolCalls }: Answer, carryName: string | undefined): readonly Part[] | undefined {
  if (!carry || carry.provider !== carryName) return undefined;
  // Under its name the answer's assembler wrote them, as they came from Gemini.
  const parts = carry.parts as readonly Part[];
  const said = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
  return said === text && callsOf(parts).length === toolCalls.length ? parts : undefined;
}

function callsOf(parts: readonly Part[]): FunctionCall[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

/** The API refuses empty text parts. */
function textPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ text }];
}

function toCalls(toolCalls: readonly ToolCall[]): Part[] {
  return toolCalls.map(({ name, input }, at) => ({
    functionCall: { name: callName(name), args: { ...input } },
    ...(at === 0 && { thoughtSignature: FOREIGN_SIGNATURE }),
  }));
}

function toDeclaration({ name, description, inputSchema }: ToolDefinition): FunctionDeclaration {
  return { name, description, parametersJsonSchema: currentSchema(inputSchema) };
}

/** The newer models are told a level, those before them a budget; thoughts are shown if they are asked for. */
function thinking(setting: ReasoningSetting): ThinkingConfig {
  if ('budgetTokens' in setting) return { includeThoughts: true, thinkingBudget: setting.budgetTokens };
  // The SDK's enum would load it; its values are these words.
  return { includeThoughts: true, thinkingLevel: setting.effort.toUpperCase() as ThinkingLevel };
}
