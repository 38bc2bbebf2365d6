import type { DeclaredInput, Directive } from '../../core/item.ts';
import type { PromptyAgent, PromptyInput, PromptyKind } from '../../core/prompty-agent.ts';
import { isTemplateFormat } from '../directive-template.ts';
import { readPrompty } from '../prompty-file.ts';
import { findReferences } from '../prompty-references.ts';
import { invalidItem, quote, startReading, warn, warningsOf } from '../reading.ts';
import { fitValue } from '../value-types.ts';
import type { Parser } from './parser.ts';

/** What a caller gives for a kind: an image, file or audio as text or as an object, which rendering looks into. */
const TYPES: Readonly<Record<PromptyKind, DeclaredInput['type']>> = {
  string: 'string',
  integer: 'integer',
  float: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  any: 'any',
  thread: 'array',
  image: 'any',
  file: 'any',
  audio: 'any',
};

/**
 * Reads a `.prompty` file as a directive: its front matter names it, its model and its inputs, its text is the template. It may
 * call nothing, whatever its parent may. References to the environment and to files are not resolved.
 */
export const parsePromptyFile: Parser<Directive> = ({ item }) => {
  const at = { id: item.id, file: item.stamp.file };
  const segments = item.id.split('/');
  const { agent, data } = readPrompty(item.text, { file: at.file, name: segments.at(-1) ?? item.id });
  const reading = startReading(at);
  for (const written of findReferences(data)) {
    warn(
      reading,
      undefined,
      `${quote(written)} stays as it is written: an item does not read the environment or files`,
    );
  }
  const { format } = agent.template;
  if (!isTemplateFormat(format.kind)) throw invalidItem(at, undefined, `The format ${quote(format.kind)} is not known`);
  const value: Directive = {
    id: item.id,
    name: agent.name,
    version: textOf(data['version']),
    description: agent.description,
    category: textOf(data['category']) || segments.slice(0, -1).join('/'),
    extends: undefined,
    model: modelOf(agent.model),
    limits: {},
    permissions: [],
    context: { system: [], before: [], after: [], suppress: [] },
    hooks: [],
    inputs: agent.inputs.map((input) => declared(input, at)),
    outputs: [],
    preamble: '',
    body: agent.instructions,
    template: { agent, hasRoles: true },
    content: '',
    actions: [],
    warnings: warningsOf(reading),
  };
  return { value, data: fullData(data, agent), text: value.body, warnings: value.warnings, declared: true };
};

/** The front matter with its short forms written out, as the fields of a directive are, and the template. */
function fullData(data: Readonly<Record<string, unknown>>, agent: PromptyAgent): Readonly<Record<string, unknown>> {
  const { name, model, inputs, instructions } = agent;
  return {
    ...data,
    name,
    ...(Object.hasOwn(data, 'model') && { model }),
    ...(Object.hasOwn(data, 'inputs') && { inputs }),
    body: instructions,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function modelOf({
  id,
  provider,
}: {
  readonly id?: string | undefined;
  readonly provider?: string | undefined;
}): Directive['model'] {
  return { ...(id && { id }), ...(provider && { provider }) };
}

function declared(input: PromptyInput, at: { readonly file: string }): DeclaredInput {
  const { name, kind, required, description = '' } = input;
  const type = TYPES[kind];
  const base = { name, type, required, description };
  if (input.default === undefined) return base;
  const fitted = fitValue(input.default, type);
  if (fitted.ok) return { ...base, default: fitted.value };
  throw invalidItem(
    at,
    undefined,
    `The default of the input "${name}" is not ${fitted.expected}, as its kind ${kind} asks`,
  );
}
