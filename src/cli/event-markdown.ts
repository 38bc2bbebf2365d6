import type { OperationResult } from '../core/operations.ts';
import { own } from '../core/record.ts';
import type { ShownEvent } from './event-text.ts';
import { printable, printableJson, printableText } from './printable.ts';

type Facts = OperationResult<'get_status'>;
type Payload = ShownEvent['payload'];

/** What a thread is, at the head of its transcript. */
export function markdownHead({ thread_id: id, directive, status, cost, parent_thread_id: parent }: Facts): string {
  const facts = [
    `thread: \`${printable(id)}\``,
    `status: ${status}`,
    `cost: ${cost.turns} turns, ${cost.input_tokens + cost.output_tokens} tokens, ${cost.spend} USD`,
    ...(parent === undefined ? [] : [`parent: \`${printable(parent)}\``]),
  ];
  return `# ${printable(directive)}\n\n${facts.map((fact) => `- ${fact}\n`).join('')}\n`;
}

/**
 * An event as Markdown. What was said is quoted line by line, so that no text can pass for a heading of ours; what is
 * neither said nor done is one line.
 */
export function eventMarkdown({ event_type: type, payload }: ShownEvent): string {
  const section = own(SECTIONS, type);
  if (!section) return `- ${printable(type)} \`${printableJson(payload).replaceAll('`', "'")}\`\n\n`;
  const { title, body } = section(payload);
  return `## ${printable(title)}\n\n${body === '' ? '' : `${body}\n\n`}`;
}

type Section = { readonly title: string; readonly body: string };

const SECTIONS: Readonly<Record<string, (payload: Payload) => Section>> = {
  system_prompt: ({ text }) => ({ title: 'System', body: quoted(text) }),
  cognition_in: ({ role, text }) => ({ title: `Said to the model (${asText(role)})`, body: quoted(text) }),
  cognition_out: ({ text }) => ({ title: 'The model', body: quoted(text) }),
  tool_call_start: ({ tool, input, call_id: id }) => ({
    title: `Tool: ${asText(tool)} (${asText(id)})`,
    body: fenced(input),
  }),
  // Results of several calls come as they are done.
  tool_call_result: ({ output, error, call_id: id }) => ({
    title: `${error === undefined ? 'Result' : 'Error'} of ${asText(id)}`,
    body: quoted(error ?? output),
  }),
  directive_return: ({ outputs }) => ({ title: 'Outputs', body: fenced(outputs) }),
};

function quoted(value: unknown): string {
  const text = asText(value);
  const lines = text === '' ? [] : printableText(text).split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

/** One line, which begins with a bracket and so ends no fence. */
function fenced(value: unknown): string {
  return `\`\`\`json\n${printableJson(value)}\n\`\`\``;
}

function asText(value: unknown): string {
  return value === undefined || typeof value === 'string' ? (value ?? '') : printableJson(value);
}
