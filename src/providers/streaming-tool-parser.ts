import type { Message, ToolCall } from '../core/conversation.ts';
import type { ModelChunk } from '../core/provider.ts';
import { invalidFault, type CallFault } from './call-failure.ts';
import { cutCall } from './cut-call.ts';
import { createJsonScan, type JsonScan } from './json-scanner.ts';
import { parseToolInput } from './tool-input.ts';

/**
 * A piece of a tool call as it arrives, with id and name as the server has them. What is left out has been said before, or is
 * said later.
 */
export type ToolDelta = {
  /** Which call of the answer it belongs to. */
  readonly index: number;
  readonly id?: unknown;
  readonly name?: unknown;
  /** More of the input's JSON text, cut anywhere. */
  readonly json?: string;
};

/** What a {@link StreamingToolParser} needs. */
export type ToolParserOptions = {
  /** Gets every piece of an input, and each call once it is complete, in the order of their completion. */
  readonly chunk: (chunk: ModelChunk) => void;
  /** Names the calls of servers that give no ids, uniquely within the conversation. Absent: they must have one. */
  readonly madeUpId?: (position: number) => string;
  /** The conversation that is answered. */
  readonly messages: readonly Message[];
};

/** Characters of the inputs of one answer. No model writes more. */
const MAX_INPUT_LENGTH = 8 * 1024 * 1024;

/**
 * Reads an answer's tool calls as they are streamed (S2 lists it as `streaming_tool_parser`). Invariants:
 * 1. A call is given once, as soon as its name and its whole input are there. The one that an answer's limit has cut off is
 *    listed as a call that can't be read, and never given.
 * 2. All pieces together are read once, and each input is parsed once.
 * 3. After a fault nothing more is given.
 * 4. No call has the id of another one, of the answer or of the conversation: a result is found by it, and so is a child.
 */
export class StreamingToolParser {
  readonly #options: ToolParserOptions;
  readonly #calls: PartialCall[] = [];
  readonly #latest = new Map<number, PartialCall>();
  /** Ids of calls that were given. */
  readonly #ids = new Set<string>();
  /** Ids of the conversation, once the answer has a call. */
  #earlier: Set<string> | undefined;
  #length = 0;
  #fault: CallFault | undefined;

  constructor(options: ToolParserOptions) {
    this.#options = options;
  }

  /** Takes a piece; a fault ends the answer. */
  push(delta: ToolDelta): CallFault | undefined {
    if (this.#fault) return this.#fault;
    // Some servers number their calls.
    const id = typeof delta.id === 'number' ? String(delta.id) : (delta.id ?? '');
    const name = delta.name ?? '';
    if (typeof id !== 'string' || typeof name !== 'string') {
      return this.#fail('a tool call has an id or a name that is no text');
    }
    const call = this.#callOf({ ...delta, id, name });
    call.id ||= id;
    call.name ||= name;
    if (delta.json) this.#fault = this.#read(call, delta.json);
    if (this.#fault || call.name === '' || !call.scan.isComplete()) return this.#fault;
    return this.#give(call);
  }

  /**
   * All calls in the order in which they began, once the answer is whole. One without any input has an empty one, but for
   * the last one of an answer that was cut by its limit: its input has not come, or not all of it.
   */
  finish(isCut = false): readonly ToolCall[] | CallFault {
    if (this.#fault) return this.#fault;
    for (const call of this.#calls) {
      const fault = isCut && call === this.#calls.at(-1) ? this.#close(call) : this.#give(call);
      if (fault) return fault;
    }
    return this.#calls.flatMap(({ given }) => given ?? []);
  }

  /** The id with which the call at an index was given, which need not be the server's. */
  idAt(index: number): string | undefined {
    return this.#latest.get(index)?.given?.id;
  }

  #callOf(delta: NamedDelta): PartialCall {
    const { index } = delta;
    const known = this.#latest.get(index);
    if (known && !isAnother(delta, known)) return known;
    const position = this.#calls.length;
    const call: PartialCall = { position, id: '', name: '', json: '', scan: createJsonScan(), given: undefined };
    this.#calls.push(call);
    this.#latest.set(index, call);
    return call;
  }

  #read(call: PartialCall, json: string): CallFault | undefined {
    this.#length += json.length;
    const problem = this.#length > MAX_INPUT_LENGTH ? 'is too long' : call.scan.push(json);
    call.json += json;
    const { position: index, name } = call;
    if (problem === undefined) this.#options.chunk({ type: 'tool_call', index, name, json });
    return problem && invalidFault('tool_input_invalid', `the input of tool call "${call.name}" ${problem}`);
  }

  #give(call: PartialCall): CallFault | undefined {
    if (call.given) return undefined;
    const { position, name, json } = call;
    const said = this.#idOf(call);
    if (!name || !said) return this.#fail(`tool call ${position} has no ${name ? 'id' : 'name'}`);
    const parsed = parseToolInput(name, json);
    if ('fault' in parsed) return (this.#fault = parsed.fault);
    call.given = { id: this.#takeId(said, position), name, input: parsed.input };
    call.json = '';
    this.#options.chunk({ type: 'tool_ready', call: call.given });
    return undefined;
  }

  /** Of a call that the limit has cut off, if it was. */
  #close(call: PartialCall): CallFault | undefined {
    if (call.given) return undefined;
    const { position, name, json } = call;
    const said = this.#idOf(call);
    if (!said) return this.#fail(`tool call ${position} has no id`);
    call.given = cutCall({ id: this.#takeId(said, position), name, json });
    return undefined;
  }

  #idOf({ id, position }: PartialCall): string | undefined {
    return id || this.#options.madeUpId?.(position);
  }

  /** Some servers give all calls of an answer one id, others begin to count anew with each answer. */
  #takeId(said: string, position: number): string {
    let id = said;
    for (let next = position; this.#isTaken(id); next++) id = `${said}_${next}`;
    this.#ids.add(id);
    return id;
  }

  #isTaken(id: string): boolean {
    this.#earlier ??= new Set(this.#options.messages.flatMap(callsOf).map((call) => call.id));
    return this.#ids.has(id) || this.#earlier.has(id);
  }

  #fail(message: string): CallFault {
    return (this.#fault = invalidFault('tool_call_invalid', message));
  }
}

type NamedDelta = ToolDelta & { readonly id: string; readonly name: string };

type PartialCall = {
  readonly position: number;
  id: string;
  name: string;
  json: string;
  readonly scan: JsonScan;
  given: ToolCall | undefined;
};

/**
 * Whether a piece begins another call than the one at its index: some servers give all their calls index 0. Where they give no
 * ids either, it is told by its name, or by an input beside the name after one that is complete.
 */
function isAnother({ id, name, json = '' }: NamedDelta, known: PartialCall): boolean {
  if (id && known.id) return id !== known.id;
  if (!name || !known.name) return false;
  return name !== known.name || (!known.id && known.scan.isComplete() && json.trim() !== '');
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === 'assistant' ? message.toolCalls : NO_CALLS;
}

const NO_CALLS: readonly ToolCall[] = [];
