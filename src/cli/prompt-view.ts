import type { PreviewMessage, PreviewPart, PromptPreview } from '../index.ts';
import { printable, printableText } from './printable.ts';
import { tokensOf } from './prompt-json.ts';

/** A preview for a person: each message, each part under a line that says where it is from, then the tools. */
export function promptView(preview: PromptPreview): string {
  const { directive, model, system, message, notes, warnings, leftOut } = preview;
  const chain = [...preview.extends, directive].map((id) => printable(id)).join(' > ');
  const tokens = tokensOf(preview);
  const around = tokens['context'] === undefined ? '' : `context in tiers ${tokens['context']}, `;
  const lines = [
    `${chain}   ${printable(model)}`,
    `about ${tokens['total']} tokens: system ${tokens['system']}, first message ${tokens['message']}, ${around}tools ${tokens['tools']}`,
    ...warnings.map(
      ({ message: text, where }) => `warning: ${printable(where === undefined ? text : `${text} (${where})`)}`,
    ),
    ...section('System message', system),
    ...section('First user message', message),
    ...tierLines(preview),
    '',
    `=== Tools (${preview.tools.length}) ===`,
    ...toolLines(preview),
    ...(leftOut.length > 0 ? [`not offered, for want of room: ${leftOut.map((id) => printable(id)).join(', ')}`] : []),
    ...notes.map((note) => `note: ${printable(note)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, { tokens, parts }: PreviewMessage): readonly string[] {
  if (parts.length === 0) return [];
  return ['', `=== ${title} (${tokens} tokens) ===`, ...parts.flatMap((part) => partLines(part))];
}

function tierLines({ tiers: tiered }: PromptPreview): readonly string[] {
  if (!tiered) return [];
  const { policy, tiers, messages } = tiered;
  const marks = messages.filter(({ isMarked }) => isMarked).length;
  return [
    '',
    `=== In tiers (${printable(policy)}, cache marks: ${marks}) ===`,
    ...tiers.map(
      ({ tier, tokens, symbols, files }) => `${tier}: ${symbols} symbol blocks, ${files} files (${tokens} tokens)`,
    ),
    ...messages.map(({ role, tokens, isMarked, begins }) => {
      const line = `${role.padEnd(9)} ${String(tokens).padStart(7)} tokens  ${printable(begins)}`;
      return isMarked ? `${line}\n--- cache mark ---` : line;
    }),
  ];
}

function partLines(part: PreviewPart): readonly string[] {
  const text = part.text === '' ? [] : [printableText(part.text)];
  return [`--- ${originOf(part)} (${part.tokens} tokens)`, ...text];
}

function originOf({ kind, source, item, space, declaredBy, mediaType, size, url }: PreviewPart): string {
  const from = [
    item !== undefined && item !== source ? `loads ${item}` : '',
    space === undefined ? '' : `${space} space`,
    declaredBy === undefined ? '' : `declared by ${declaredBy}`,
    mediaType ?? '',
    size === undefined ? '' : `${size} bytes`,
    url ?? '',
  ].filter((text) => text !== '');
  return printable(`${kind} ${source}${from.length > 0 ? `: ${from.join(', ')}` : ''}`);
}

function toolLines({ tools }: PromptPreview): readonly string[] {
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  return tools.map(
    ({ name, id, primary, tokens }) =>
      `${name.padEnd(width)}  ${primary} ${printable(id)} (${tokens === 0 ? 'told above' : `${tokens} tokens`})`,
  );
}
