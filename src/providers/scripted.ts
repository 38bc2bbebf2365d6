import type { Clock } from '../core/clock.ts';
import { SkeinError, toFailure } from '../core/errors.ts';
import type { ModelRequest, Provider } from '../core/provider.ts';
import { toOutcome, type Outcome, type ScriptedAnswer } from './scripted-answer.ts';
import { lastToolName } from './scripted-context.ts';
import { deliver } from './scripted-delivery.ts';
import { compileRule } from './scripted-rule.ts';
import { parseScript, type Script } from './scripted-schema.ts';

/** A script as a function, for an embedder's tests: in-process only, since functions do not travel to workers. */
export type ScriptedModel = { respond(request: ModelRequest): ScriptedAnswer };

/** Options of {@link createScriptedProvider}. */
export type ScriptedOptions = {
  readonly clock: Clock;
  /** Name of the provider in configuration; default `scripted`. */
  readonly id?: string;
};

/**
 * A model that follows a script: the first rule that matches the conversation answers. Needs no network and no key,
 * and costs microseconds, so that it carries tests, examples and benches. Throws `invalid_config` for a wrong script.
 * `times` is counted per provider, that is per worker.
 */
export function createScriptedProvider(script: Script | ScriptedModel, options: ScriptedOptions): Provider {
  const answer = createAnswerer(script);
  return {
    id: options.id ?? 'scripted',
    call: (request, sink) => deliver(answer(request), sink, options.clock),
  };
}

/**
 * What a script says to a request, not yet delivered. `directiveOf` changes the rules' `directive` patterns, for whom a
 * request says less than the thread's own does. Throws `invalid_config` for a wrong script.
 */
export function createAnswerer(
  script: Script | ScriptedModel,
  directiveOf?: (pattern: string) => string,
): (request: ModelRequest) => Outcome {
  const respond = isFunctionScript(script)
    ? (request: ModelRequest) => atOnce(script.respond(request))
    : compileScript(script, directiveOf);
  return (request) => answerTo(request, respond);
}

type Respond = (request: ModelRequest) => ScriptedAnswer;

/** What a function gave, as one in JavaScript may be written. */
function atOnce(given: ScriptedAnswer): ScriptedAnswer {
  const { then } = Object(given) as { readonly then?: unknown };
  if (typeof then !== 'function') return given;
  // Nobody waits for it: one that rejects must not end the process.
  void Promise.resolve<unknown>(given).catch(() => undefined);
  throw new SkeinError('invalid_argument', 'respond gave a promise; its answer has to be there at once');
}

/** Also asked about what is not a script at all; that is left to the schema to refuse. */
function isFunctionScript(script: unknown): script is ScriptedModel {
  if (typeof script !== 'object' || script === null) return false;
  return 'respond' in script && typeof script.respond === 'function';
}

function compileScript(script: Script, directiveOf: (pattern: string) => string = (pattern) => pattern): Respond {
  const rules = parseScript(script).rules.map(({ directive, ...rule }, at) =>
    compileRule({ ...rule, ...(directive !== undefined && { directive: directiveOf(directive) }) }, `rules[${at}]`),
  );
  return (request) => {
    for (const rule of rules) {
      const answer = rule(request);
      if (answer !== undefined) return answer;
    }
    return noRule(request);
  };
}

function noRule({ thread, messages }: ModelRequest): ScriptedAnswer {
  const tool = lastToolName(messages);
  const after = tool === undefined ? 'before any tool result' : `after a result of tool "${tool}"`;
  const message = `no rule of the script matches directive "${thread.directive}", turn ${thread.turn}, ${after}`;
  return { error: { type: 'ScriptError', code: 'no_rule', message } };
}

/** A script that fails while it answers is a failed call, as a provider's bug would be. */
function answerTo(request: ModelRequest, respond: Respond): Outcome {
  try {
    return toOutcome(request, respond(request));
  } catch (thrown) {
    const { message, where } = toFailure(thrown);
    const place = where?.path === undefined ? '' : ` (at ${where.path})`;
    return toOutcome(request, { error: { type: 'ScriptError', code: 'script_failed', message: `${message}${place}` } });
  }
}
