import type { Message, ToolCall, ToolDefinition } from '../core/conversation.ts';
import type { CacheMark, ModelRequest } from '../core/provider.ts';
import { CALL_FENCE, CALL_FENCE_END, MALFORMED_CALL } from './text-tools-form.ts';

/**
 * A request without tools for a model that knows none: the tools stand in the system message, calls in the text of the
 * assistant's messages, results in user messages. The same conversation always becomes the same text, so that what a
 * provider has cached of it stays.
 */
export function textRequest(request: ModelRequest): ModelRequest {
  const { messages, places } = textMessages(request.messages);
  const marks = request.cacheMarks?.map((mark) => movedMark(mark, places));
  return {
    ...request,
    system: [request.system, toolSection(request.tools)].filter((part) => part !== '').join('\n\n'),
    tools: [],
    messages,
    ...(marks && { cacheMarks: [...new Set(marks)] }),
  };
}

function movedMark(mark: CacheMark, places: readonly number[]): CacheMark {
  return typeof mark === 'number' ? (places[mark] ?? mark) : 'system';
}

const MANUAL = `# Tools

You can call the tools below. Write a call as a block of its own, with one JSON object that has the name of the tool and its input:

${CALL_FENCE}
{"name": "the_name", "input": {"key": "value"}}
${CALL_FENCE_END}

The block begins at the beginning of a line and in no other code fence. For several calls, write several blocks. Then end your message: the results are in the next one, in blocks that begin with \`\`\`tool_result, or with \`\`\`tool_error where a call failed. Never write results yourself.`;

/** What a system message says of the tools; empty if there are none. */
export function toolSection(tools: readonly ToolDefinition[]): string {
  return tools.length === 0 ? '' : [MANUAL, ...tools.map(describeTool)].join('\n\n');
}

function describeTool({ name, description, inputSchema }: ToolDefinition): string {
  return `## ${name}\n\n${description}\n\nJSON Schema of the input: ${JSON.stringify(inputSchema)}`;
}

type UserMessage = Extract<Message, { readonly role: 'user' }>;

/** `places`: where each of the messages went. All results of an answer, and what was said after them, are one message. */
function textMessages(messages: readonly Message[]): { messages: Message[]; places: number[] } {
  const texts: Message[] = [];
  const places: number[] = [];
  const names = new Map<string, string>();
  let afterResult = false;
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls) names.set(id, name);
    const text = toText(message, names);
    const last = afterResult && message.role !== 'assistant' ? texts.pop() : undefined;
    texts.push(last?.role === 'user' ? joinUser(last, text) : text);
    places.push(texts.length - 1);
    afterResult = message.role === 'tool' || (afterResult && message.role === 'user');
  }
  return { messages: texts, places };
}

function joinUser(last: UserMessage, next: Message): UserMessage {
  const text = `${last.text}\n\n${next.text}`;
  const parts = next.role === 'user' ? next.parts : undefined;
  if (last.parts === undefined && parts === undefined) return { role: 'user', text };
  const before = last.parts ?? [{ kind: 'text', value: last.text }];
  return { role: 'user', text, parts: [...before, ...(parts ?? [{ kind: 'text', value: next.text }])] };
}

function toText(message: Message, names: ReadonlyMap<string, string>): Message {
  switch (message.role) {
    case 'user':
      return message;
    case 'tool':
      return { role: 'user', text: resultBlock(message, names.get(message.callId)) };
    case 'assistant': {
      const { text, toolCalls } = message;
      if (toolCalls.length === 0) return message;
      const calls = toolCalls.map(callBlock).join('\n');
      return { ...message, text: text === '' ? calls : `${text.trimEnd()}\n${calls}`, toolCalls: [] };
    }
  }
}

function callBlock({ name, input }: ToolCall): string {
  const { written } = input;
  if (name === MALFORMED_CALL && typeof written === 'string') return written;
  return `${CALL_FENCE}\n${JSON.stringify({ name, input })}\n${CALL_FENCE_END}`;
}

/** The fence is longer than any in the text: no result can end its own block. */
function resultBlock({ callId, text, isError }: Message & { role: 'tool' }, name: string | undefined): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1);
  return `${fence}${isError ? 'tool_error' : 'tool_result'} ${name ?? 'unknown'} ${callId}\n${text}\n${fence}`;
}
