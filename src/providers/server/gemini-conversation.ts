import type { Message, ToolCall } from '../../core/conversation.ts';
import type { GeminiBody, GeminiPart } from './gemini-body.ts';
import { isSealedThought } from './signature.ts';

type Turn = { readonly role: 'user' | 'model'; readonly at: number; readonly parts: GeminiPart[] };
type Call = NonNullable<GeminiPart['functionCall']>;
type Result = NonNullable<GeminiPart['functionResponse']>;

/**
 * The contents of a request as they were before an adapter put them together: one message for each text and each result.
 * A conversation that the API refuses gives its words for that instead.
 */
export function readGeminiConversation({ contents }: GeminiBody): readonly Message[] | string {
  const turns: Turn[] = [];
  for (const [at, { role = 'user', parts = [] }] of contents.entries()) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const problem = partsProblem(parts, role, at);
    if (problem !== undefined) return problem;
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, at, parts: [...parts] });
  }
  return orderProblem(turns) ?? toMessages(turns);
}

function partsProblem(parts: readonly GeminiPart[], role: Turn['role'], at: number): string | undefined {
  const place = `* GenerateContentRequest.contents[${at}].parts`;
  if (parts.length === 0) return `${place}: contents.parts must not be empty.`;
  for (const [index, { text, thought, thoughtSignature: signature, ...data }] of parts.entries()) {
    // A model's answer ends with an empty text, which the SDK's own chats send back.
    const isEmpty = text === undefined || (text === '' && role === 'user');
    if (isEmpty && Object.keys(data).length === 0 && signature === undefined) {
      return `${place}[${index}].data: required oneof field 'data' must have one initialized field`;
    }
    if (signature !== undefined && signature !== UNSIGNED && !isSealedThought(signature)) {
      return `${thought ? 'Thought' : 'Function call'} signature is not valid.`;
    }
  }
  return undefined;
}

/** What Google documents for calls that another model made. */
const UNSIGNED = 'skip_thought_signature_validator';

function orderProblem(turns: readonly Turn[]): string | undefined {
  const began = turns.findLastIndex(({ role, parts }) => role === 'user' && parts.some(({ text }) => text));
  for (const [at, turn] of turns.entries()) {
    const [calls, results] = [callsOf(turn), resultsOf(turn)];
    if (turn.role === 'model' && results.length > 0) return 'Please ensure that function responses are of role user.';
    if (turn.role === 'user' && calls.length > 0) return 'Please ensure that function calls are of role model.';
    const before = at === 0 ? [] : callsOf(turns[at - 1]);
    if (results.length > 0 && before.length === 0) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    if (turn.role === 'user' && results.length !== before.length) return COUNTS_DIFFER;
    if (calls.length > 0 && at === 0) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    if (calls.length > 0 && at === turns.length - 1) return COUNTS_DIFFER;
    const problem = at > began ? missingSignature(turn) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const COUNTS_DIFFER =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
  'function call turn.';

/** Of the calls since the user last spoke, the first of each answer has to bring its signature. */
function missingSignature({ at, parts }: Turn): string | undefined {
  const first = parts.find(({ functionCall }) => functionCall);
  if (!first?.functionCall || first.thoughtSignature !== undefined) return undefined;
  return `Function call \`${first.functionCall.name}\` in the ${at + 1}. content block is missing a \`thought_signature\`.`;
}

function callsOf(turn: Turn | undefined): readonly Call[] {
  return turn?.parts.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
}

function resultsOf(turn: Turn): readonly Result[] {
  return turn.parts.flatMap(({ functionResponse }) => functionResponse ?? []);
}

function toMessages(turns: readonly Turn[]): Message[] {
  let calls: readonly ToolCall[] = [];
  return turns.flatMap((turn): Message[] => {
    if (turn.role === 'user') return userMessages(turn, calls);
    calls = callsOf(turn).map(({ id, name, args = {} }, index) => ({
      id: id ?? `call_${turn.at}_${index}`,
      name,
      input: args,
    }));
    const texts = turn.parts.map(({ text = '', thought }) => (thought ? '' : text));
    return [{ role: 'assistant', text: texts.join(''), toolCalls: calls }];
  });
}

function userMessages({ parts }: Turn, calls: readonly ToolCall[]): Message[] {
  const open = [...calls];
  return parts.flatMap(({ text, functionResponse }): Message[] => {
    if (functionResponse) return [toResult(functionResponse, open)];
    return text ? [{ role: 'user', text }] : [];
  });
}

/** A result without an id belongs to the first call of its name that has none yet. */
function toResult({ id, name, response = {} }: Result, open: ToolCall[]): Message {
  const at = open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
  const [call] = at === -1 ? [] : open.splice(at, 1);
  const isError = 'error' in response;
  const said = isError ? response['error'] : (response['output'] ?? response);
  return {
    role: 'tool',
    callId: call?.id ?? name,
    text: typeof said === 'string' ? said : JSON.stringify(said),
    isError,
  };
}
