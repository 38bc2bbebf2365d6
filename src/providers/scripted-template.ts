import { SkeinError } from '../core/errors.ts';
import { compileTemplate } from '../core/interpolate.ts';
import { countOutput, type ScriptedAnswer, type ScriptedBreak } from './scripted-answer.ts';
import type { ScriptContext } from './scripted-context.ts';
import type { BatchSpec, CallSpec, CheckedRule } from './scripted-schema.ts';

/** A rule's answer: `build` gives undefined when the rule's fan-out has nothing (left) to call and it says nothing. */
export type AnswerTemplate = {
  /** Whether `build` needs a context; without expressions it is not even looked at. */
  readonly usesContext: boolean;
  build(context: ScriptContext | undefined): ScriptedAnswer | undefined;
};

/** Compiles what a rule answers. `path` is the rule's place in the script. */
export function compileAnswer(rule: CheckedRule, path: string): AnswerTemplate {
  const fixed = fixedPart(rule);
  const { text, reasoning, tool_calls: calls, tool_calls_each: each, collect } = rule;
  if (!each && !collect && !hasExpression([text, reasoning, calls, rule.error])) {
    const said = { ...(text !== undefined && { text }), ...(reasoning !== undefined && { reasoning }) };
    const answer = withCount({ ...fixed, ...said, ...(calls && { toolCalls: calls }) });
    return { usesContext: false, build: () => answer };
  }
  return { usesContext: true, build: compileBuild(rule, fixed, path) };
}

type Call = NonNullable<ScriptedAnswer['toolCalls']>[number] & { readonly input: Readonly<Record<string, unknown>> };
type Scope = Readonly<Record<string, unknown>>;

function compileBuild(rule: CheckedRule, fixed: ScriptedAnswer, path: string): AnswerTemplate['build'] {
  const collect = compileCollect(rule.collect ?? {}, path);
  const text = rule.text === undefined ? undefined : compileTemplate(rule.text);
  const reasoning = rule.reasoning === undefined ? undefined : compileTemplate(rule.reasoning);
  const errorMessage = rule.error && compileTemplate(rule.error.message);
  const calls = (rule.tool_calls ?? []).map((call, at) => compileCall(call, `${path}.tool_calls[${at}]`));
  const each = rule.tool_calls_each;
  const eachCall = each && compileCall(each.call, `${path}.tool_calls_each.call`);
  const eachItems = each && compileItems(each, `${path}.tool_calls_each`);
  const saysSomething = text !== undefined || calls.length > 0 || rule.error !== undefined;

  return (context) => {
    const scope: Scope = { ...context, collected: collect({ ...context }) };
    const fanOut = eachItems && eachCall ? eachItems(scope).map(eachCall) : [];
    if (each && fanOut.length === 0 && !saysSomething) return undefined;
    return {
      ...fixed,
      ...(text && { text: toText(text(scope)) }),
      ...(reasoning && { reasoning: toText(reasoning(scope)) }),
      ...(errorMessage && { error: { ...fixed.error, message: toText(errorMessage(scope)) } }),
      toolCalls: [...calls.map((call) => call(scope)), ...fanOut],
    };
  };
}

/** Everything of an answer in which `${…}` has no meaning, under its TypeScript names. */
function fixedPart({ usage, error, ...rule }: CheckedRule): ScriptedAnswer {
  return {
    delayMs: rule.delay_ms,
    chunks: rule.chunks,
    ...(rule.break && { broken: toBreak(rule.break) }),
    ...(rule.finish_reason && { finishReason: rule.finish_reason }),
    ...(usage && {
      usage: {
        ...(usage.input_tokens !== undefined && { inputTokens: usage.input_tokens }),
        ...(usage.output_tokens !== undefined && { outputTokens: usage.output_tokens }),
        ...(usage.cache_read_tokens !== undefined && { cacheReadTokens: usage.cache_read_tokens }),
        ...(usage.cache_write_tokens !== undefined && { cacheWriteTokens: usage.cache_write_tokens }),
      },
    }),
    ...(error && {
      error: {
        type: error.type,
        message: error.message,
        headers: error.headers,
        ...(error.code !== undefined && { code: error.code }),
        ...(error.status_code !== undefined && { statusCode: error.status_code }),
      },
    }),
  };
}

function toBreak(spec: NonNullable<CheckedRule['break']>): ScriptedBreak {
  return spec.how === 'cut_tool' ? spec : { how: spec.how, afterChunks: spec.after_chunks };
}

/** Counts a constant answer's output once instead of with every call. */
function withCount(answer: ScriptedAnswer): ScriptedAnswer {
  if (answer.error && !answer.usage) return answer;
  return { ...answer, usage: { outputTokens: countOutput(answer), ...answer.usage } };
}

function compileCall({ id, name, input }: CallSpec, path: string): (scope: Scope) => Call {
  const nameOf = compileTemplate(name);
  const inputOf = compileTemplate(input);
  return (scope) => {
    const called = nameOf(scope);
    if (typeof called !== 'string' || called === '') {
      throw new SkeinError('invalid_config', `"${name}" is not the name of a tool here`, {
        where: { path: `${path}.name` },
      });
    }
    // The schema says that `input` is an object, and interpolation keeps an object's shape.
    return { id, name: called, input: inputOf(scope) as Call['input'] };
  };
}

type ListSpec = { readonly over: string; readonly as: string; readonly batch?: BatchSpec | undefined };

/** One scope per element of the list (or of its window), with the element under `as` and its position as `index`. */
function compileItems({ over, as, batch }: ListSpec, path: string): (scope: Scope) => Scope[] {
  const listOf = compileTemplate(over);
  const windowOf = batch && compileWindow(batch, `${path}.batch`);
  return (scope) => {
    const list: unknown = listOf(scope);
    if (!Array.isArray(list)) {
      throw new SkeinError('invalid_config', `"${over}" is not a list here`, { where: { path: `${path}.over` } });
    }
    const start = windowOf ? windowOf(scope) : 0;
    const items: unknown[] = batch ? list.slice(start, start + batch.size) : list;
    return items.map((item, at) => ({ ...scope, [as]: item, index: start + at }));
  };
}

/** First position of the window. A missing path counts as 0: nothing of that kind has happened yet. */
function compileWindow({ size, index, offset }: BatchSpec, path: string): (scope: Scope) => number {
  const positionOf = compileTemplate(index ?? offset ?? 0);
  const step = index === undefined ? 1 : size;
  return (scope) => {
    const value = positionOf(scope);
    const position = value === undefined || value === null || value === '' ? 0 : Number(value);
    if (!Number.isInteger(position) || position < 0) {
      throw new SkeinError('invalid_config', `${JSON.stringify(value)} is not a position in a list`, {
        where: { path },
      });
    }
    return position * step;
  };
}

function compileCollect(specs: NonNullable<CheckedRule['collect']>, path: string): (scope: Scope) => Scope {
  const entries = Object.entries(specs).map(([name, spec]) => {
    return { name, items: compileItems(spec, `${path}.collect.${name}`), value: compileTemplate(spec.value) };
  });
  return (scope) => Object.fromEntries(entries.map(({ name, items, value }) => [name, items(scope).map(value)]));
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('$');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasExpression);
}
