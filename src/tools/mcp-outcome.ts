import * as z from 'zod';
import { startOf } from '../core/cut-text.ts';
import { exactJson } from '../core/exact-json.ts';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import { isRecord } from '../core/record.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { nestsDeeper } from '../core/nests-deeper.ts';
import { foreignText } from './mcp-foreign-text.ts';
import type { McpResult } from './mcp-session.ts';

/** Longest result, in characters of JSON. */
const MAX_RESULT_CHARS = 1024 * 1024;
const MAX_RESULT_DEPTH = 64;
const MAX_BLOCKS = 10_000;
const MAX_ERROR_CHARS = 4_000;
const MAX_WORD = 200;

/**
 * A result of an MCP tool as an outcome. The value is the structured content where there is some, else the text; if there
 * is both, and the text is not just the same as JSON, both are there as `{structured_content, content}`. What is no text
 * is described in its place. A result too large, too deep or in too many blocks is `tool_failed` with reason `output_too_large`.
 */
export function mcpOutcome(id: string, { content, structuredContent, isError }: McpResult): ToolOutcome {
  if (content.length > MAX_BLOCKS) return tooLarge(id);
  const text = content.map(blockText).join('\n');
  if (isError === true)
    return failure(id, `failed: ${startOf(text, MAX_ERROR_CHARS).toWellFormed() || 'it does not say why'}`, 'threw');
  if (structuredContent === undefined || structuredContent === null) return sized(id, text);
  if (nestsDeeper(structuredContent, MAX_RESULT_DEPTH)) return tooLarge(id);
  if (text === '') return sized(id, structuredContent);
  return sized(id, repeated(text, structuredContent) ?? { structured_content: structuredContent, content: text });
}

function sized(id: string, value: unknown): ToolOutcome {
  const chars = typeof value === 'string' ? value.length : JSON.stringify(value).length;
  return chars > MAX_RESULT_CHARS ? tooLarge(id) : { ok: true, value };
}

function tooLarge(id: string): ToolOutcome {
  return failure(
    id,
    `gave a result of more than ${MAX_RESULT_CHARS} characters or ${MAX_BLOCKS} blocks, or too deep a one`,
    'output_too_large',
  );
}

function failure(id: string, message: string, reason: string): ToolOutcome {
  return { ok: false, failure: { code: 'tool_failed', message: `tool ${id} ${message}`, detail: { reason } } };
}

/**
 * What the text says as JSON if that is the structured content: servers repeat it for clients that know nothing else. Its
 * numbers have all their digits, which those of a structure that came over HTTP have not.
 */
function repeated(text: string, structure: unknown): unknown {
  if (text.length > MAX_RESULT_CHARS) return undefined;
  const json = exactJson(text);
  if (nestsDeeper(json, MAX_RESULT_DEPTH)) return undefined;
  const same = JSON.stringify(structure);
  return [json, jsonOrUndefined(text)].some((said) => JSON.stringify(said) === same) ? json : undefined;
}

const resourceSchema = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const blockSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: resourceSchema }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    description: z.string().optional(),
  }),
]);

function blockText(block: unknown): string {
  const parsed = blockSchema.safeParse(block);
  if (!parsed.success) return `[content of the type ${word(typeOf(block))}, which can't be shown]`;
  const { data } = parsed;
  switch (data.type) {
    case 'text':
      return data.text;
    case 'image':
    case 'audio':
      return `[${data.type} ${word(data.mimeType)}, ${bytesOf(data.data)} bytes, not shown]`;
    case 'resource':
      return resourceText(data.resource);
    case 'resource_link':
      return `[resource ${word(data.uri)}: ${[data.name, data.description ?? ''].map(word).join(' ').trim()}]`;
  }
}

function resourceText({ uri, mimeType = '', text, blob = '' }: z.output<typeof resourceSchema>): string {
  const name = `resource ${word(uri)}${mimeType && ` ${word(mimeType)}`}`;
  return text === undefined ? `[${name}, ${bytesOf(blob)} bytes, not shown]` : `[${name}]\n${text}`;
}

function typeOf(block: unknown): string {
  const type = isRecord(block) ? block['type'] : undefined;
  return typeof type === 'string' ? type : 'unknown';
}

function word(text: string): string {
  return foreignText(text, MAX_WORD).replaceAll(/\s+/g, ' ');
}

/** Bytes of base64. */
function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/={1,2}$/, '').length * 3) / 4);
}
