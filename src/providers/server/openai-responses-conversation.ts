import type { Message, ToolCall } from '../../core/conversation.ts';
import { contentText } from './content-text.ts';
import { openaiRefusal } from './openai-error.ts';
import type { OpenaiResponsesBody, OpenaiResponsesItem } from './openai-responses-body.ts';
import { parseArguments } from './parse-arguments.ts';
import { isSealedThought } from './signature.ts';
import type { WireError } from './wire.ts';

/** Instructions and the conversation, as they were before an adapter took them apart. */
type Conversation = { readonly system: string; readonly messages: readonly Message[] };
type Refused = { readonly error: WireError };
type Item<Type> = Extract<OpenaiResponsesItem, { readonly type?: Type }>;

/** Reads the input's items, or says in the API's words why they make no conversation. */
export function readOpenaiResponses({ input, instructions }: OpenaiResponsesBody): Conversation | Refused {
  const items: readonly OpenaiResponsesItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const reader = new Reader(instructions ?? '');
  for (const [at, item] of items.entries()) {
    const refused = reader.read(item, at);
    if (refused) return refused;
  }
  return reader.finish();
}

/** Owns what has been read: neighbours of the model's items make one message of the model. */
class Reader {
  readonly #system: string[];
  readonly #messages: Message[] = [];
  /** Calls without a result. */
  readonly #open = new Set<string>();
  #answer: { text: string; toolCalls: ToolCall[] } | undefined;
  /** Id of a thought after which nothing came yet. */
  #thought: string | undefined;

  constructor(instructions: string) {
    this.#system = instructions === '' ? [] : [instructions];
  }

  read(item: OpenaiResponsesItem, at: number): Refused | undefined {
    if (item.type === 'reasoning') return this.#think(item, at);
    if (item.type === 'function_call') return this.#call(item);
    if (item.type === 'function_call_output') return this.#result(item, at);
    return item.type === undefined || item.type === 'message' ? this.#say(item, at) : undefined;
  }

  finish(): Conversation | Refused {
    const [open] = this.#open;
    if (open !== undefined) return openaiRefusal(`No tool output found for function call ${open}.`, 'input');
    return this.#endAnswer() ?? { system: this.#system.join('\n\n'), messages: this.#messages };
  }

  #think({ id, encrypted_content: sealed }: Item<'reasoning'>, at: number): Refused | undefined {
    if (!sealed) {
      const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
      return { error: { status: 404, message, param: `input[${at}].id` } };
    }
    if (!isSealedThought(sealed)) {
      const message = `The encrypted content for item ${id} could not be verified.`;
      return { error: { status: 400, message, code: 'invalid_encrypted_content' } };
    }
    this.#thought = id;
    this.#answer ??= { text: '', toolCalls: [] };
    return undefined;
  }

  #call({ call_id: id, name, arguments: json }: Item<'function_call'>): undefined {
    this.#thought = undefined;
    this.#answer ??= { text: '', toolCalls: [] };
    this.#answer.toolCalls.push({ id, name, input: parseArguments(json) });
    this.#open.add(id);
  }

  /** A result says nothing of whether it is an error: no such field is on this wire. */
  #result({ call_id: callId, output }: Item<'function_call_output'>, at: number): Refused | undefined {
    if (!this.#open.delete(callId)) {
      return openaiRefusal(`No tool call found for function call output with call_id ${callId}.`, `input[${at}]`);
    }
    const refused = this.#endAnswer();
    this.#messages.push({ role: 'tool', callId, text: contentText(output), isError: false });
    return refused;
  }

  #say({ role, content }: Item<'message'>, at: number): Refused | undefined {
    const wrong = role === 'assistant' ? 'input_text' : 'output_text';
    if (typeof content !== 'string' && content.some(({ type }) => type === wrong)) {
      return openaiRefusal(`Invalid value: '${wrong}' is not for role '${role}'.`, `input[${at}].content`);
    }
    const text = contentText(content);
    if (role === 'assistant') {
      this.#thought = undefined;
      this.#answer ??= { text: '', toolCalls: [] };
      this.#answer.text += text;
      return undefined;
    }
    const refused = this.#endAnswer();
    if (role === 'user') this.#messages.push({ role, text });
    else this.#system.push(text);
    return refused;
  }

  #endAnswer(): Refused | undefined {
    if (this.#thought !== undefined) {
      return openaiRefusal(
        `Item '${this.#thought}' of type 'reasoning' was provided without its required following item.`,
        'input',
      );
    }
    if (this.#answer) this.#messages.push({ role: 'assistant', ...this.#answer });
    this.#answer = undefined;
    return undefined;
  }
}
