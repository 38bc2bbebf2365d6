import type { Directive, SignatureState, ToolItem } from '../core/item.ts';
import type { Tool } from '../core/tool.ts';
import type { OpenedItem } from './primary-items.ts';

type Data = Readonly<Record<string, unknown>>;

/** What loading an item gives (S2 §7.6): its text where its kind has it, and everything its file says. */
export function loadedData({ parsed, signature, wholeText }: OpenedItem): Data {
  const { name, title, description, category, tags, version, space, file, fields } = parsed;
  const place = { source: space, path: file, signature: signatureData(signature) };
  const about = { name, title, description, category, tags, version, ...place, fields };
  switch (parsed.kind) {
    case 'knowledge':
      return { content: parsed.value.content, ...about };
    case 'directive':
      return { ...directiveData(parsed.value), ...about };
    case 'tool':
      return { raw: wholeText, ...toolData(parsed.value), ...about };
  }
}

/** How an item stands with its signature, as it is sent: `{state, key, signed_at}`, `{state, reason, line}`, `{state}`. */
export function signatureData(signature: SignatureState | { readonly state: 'unreadable' }): Data {
  if ('key' in signature) return { state: signature.state, key: signature.key, signed_at: signature.signedAt };
  if (signature.state !== 'wrong') return { state: signature.state };
  return { state: signature.state, reason: signature.reason, line: signature.line ?? null };
}

/** What there is to know of a tool that is no file's. */
export function registeredData({ description, inputSchema, idempotent }: Tool): Data {
  return { raw: null, description, input_schema: inputSchema, idempotent, source: null };
}

/** The directive as it is written: inputs are not filled in. */
function directiveData(directive: Directive): Data {
  const { body, content, preamble, model, limits, context, hooks, inputs, outputs, actions } = directive;
  return {
    body,
    content,
    preamble,
    extends: directive.extends ?? null,
    model,
    limits,
    permissions: directive.permissions ?? null,
    context,
    hooks,
    inputs,
    outputs,
    actions,
  };
}

function toolData({ toolType, executorId, config, inputSchema, idempotent, timeoutSeconds }: ToolItem): Data {
  return {
    tool_type: toolType,
    executor_id: executorId,
    input_schema: inputSchema,
    idempotent,
    timeout_seconds: timeoutSeconds ?? null,
    config,
  };
}
