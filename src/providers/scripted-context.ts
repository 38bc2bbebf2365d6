import type { Message, ToolCall } from '../core/conversation.ts';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import type { ModelRequest } from '../core/provider.ts';

/** What a scripted rule's `${…}` and `when` can see. All of it comes from the request. */
export type ScriptContext = {
  readonly turn: number;
  readonly directive: string;
  readonly model: string;
  /** Text of the first user message. */
  readonly prompt: string;
  /** Named groups of the rule's `match`. */
  readonly captures: Readonly<Record<string, string>>;
  readonly last: {
    /** Text of the last message, whoever wrote it. */
    readonly text: string;
    /** Tool of the last tool result, its result (parsed if it is JSON), and whether it was an error. */
    readonly tool: string | undefined;
    readonly result: unknown;
    readonly is_error: boolean;
    /** Results of the calls of the last assistant message, in order. */
    readonly results: readonly unknown[];
  };
  /** Tool name → its latest result. */
  readonly results: Readonly<Record<string, unknown>>;
  /** Tool name → all its results, oldest first. */
  readonly all: Readonly<Record<string, readonly unknown[]>>;
  /** Tool name → how many results it has delivered. */
  readonly counts: Readonly<Record<string, number>>;
  /** Every tool call so far. */
  readonly calls: readonly ToolCall[];
};

/** Builds the context: parses every tool result once. Only called for rules with expressions. */
export function buildContext(request: ModelRequest, captures: Readonly<Record<string, string>>): ScriptContext {
  const history = readHistory(request.messages);
  const all = [...history.byTool];
  return {
    turn: request.thread.turn,
    directive: request.thread.directive,
    model: request.model,
    prompt: firstUserText(request.messages),
    captures,
    last: {
      text: request.messages.at(-1)?.text ?? '',
      tool: history.lastTool,
      result: history.lastResult,
      is_error: history.lastIsError,
      results: history.latest,
    },
    results: Object.fromEntries(all.map(([tool, results]) => [tool, results.at(-1)])),
    all: Object.fromEntries(all),
    counts: Object.fromEntries(all.map(([tool, results]) => [tool, results.length])),
    calls: history.calls,
  };
}

/** Text of the first user message; empty if there is none. */
export function firstUserText(messages: readonly Message[]): string {
  return messages.find((message) => message.role === 'user')?.text ?? '';
}

/** Name of the tool whose result came last; undefined before the first result. */
export function lastToolName(messages: readonly Message[]): string | undefined {
  const at = messages.findLastIndex((message) => message.role === 'tool');
  const result = messages[at];
  if (result?.role !== 'tool') return undefined;
  for (let index = at - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const call = message.toolCalls.find(({ id }) => id === result.callId);
    if (call) return call.name;
  }
  return undefined;
}

type History = {
  readonly byTool: Map<string, unknown[]>;
  readonly calls: ToolCall[];
  latest: unknown[];
  lastTool: string | undefined;
  lastResult: unknown;
  lastIsError: boolean;
};

function readHistory(messages: readonly Message[]): History {
  const history: History = {
    byTool: new Map(),
    calls: [],
    latest: [],
    lastTool: undefined,
    lastResult: undefined,
    lastIsError: false,
  };
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      history.latest = [];
      for (const call of message.toolCalls) {
        names.set(call.id, call.name);
        history.calls.push(call);
      }
    } else if (message.role === 'tool') {
      addResult(history, names.get(message.callId), message);
    }
  }
  return history;
}

function addResult(
  history: History,
  tool: string | undefined,
  message: Extract<Message, { readonly role: 'tool' }>,
): void {
  const result = parseIfJson(message.text);
  history.latest.push(result);
  history.lastTool = tool;
  history.lastResult = result;
  history.lastIsError = message.isError;
  if (tool === undefined) return;
  const results = history.byTool.get(tool);
  if (results) results.push(result);
  else history.byTool.set(tool, [result]);
}

function parseIfJson(text: string): unknown {
  const json = jsonOrUndefined(text);
  return json === undefined ? text : json;
}
