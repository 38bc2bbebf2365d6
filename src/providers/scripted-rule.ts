import { compileCondition } from '../core/condition.ts';
import type { ModelRequest } from '../core/provider.ts';
import { compileWildcard } from '../core/wildcard.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import { firstUserText, buildContext, lastToolName } from './scripted-context.ts';
import { captureGroups, compileRegex } from './scripted-match.ts';
import { compileAnswer } from './scripted-template.ts';
import type { CheckedRule } from './scripted-schema.ts';

/** A rule ready to be asked: its answer if it is meant, undefined if the next rule is. */
export type CompiledRule = (request: ModelRequest) => ScriptedAnswer | undefined;

const NO_CAPTURES: Readonly<Record<string, string>> = {};

/**
 * Compiles one rule; `path` is its place in the script, for messages. A rule without expressions answers with one
 * shared object: nothing is parsed, built or searched per call beyond what it matches on.
 */
export function compileRule(rule: CheckedRule, path: string): CompiledRule {
  const plain = compilePlainMatch(rule, path);
  const prompt = rule.match === undefined ? undefined : compileRegex(rule.match, `${path}.match`);
  const when = rule.when === undefined ? undefined : compileCondition(rule.when, { path: `${path}.when` });
  const answer = compileAnswer(rule, path);
  let left = rule.times ?? Infinity;

  return (request) => {
    if (left === 0 || !plain(request)) return undefined;
    const captures = prompt ? captureGroups(prompt, firstUserText(request.messages)) : NO_CAPTURES;
    if (captures === undefined) return undefined;
    const context = when || answer.usesContext ? buildContext(request, captures) : undefined;
    if (when && !when(context)) return undefined;
    const given = answer.build(context);
    if (given !== undefined) left -= 1;
    return given;
  };
}

/** What can be told without parsing anything. */
function compilePlainMatch(rule: CheckedRule, path: string): (request: ModelRequest) => boolean {
  const directive = rule.directive === undefined ? undefined : compileWildcard(rule.directive);
  const lastText = rule.last_text === undefined ? undefined : compileRegex(rule.last_text, `${path}.last_text`);
  const { turn, last_tool: lastTool } = rule;
  return ({ thread, messages }) => {
    if (turn !== undefined && thread.turn !== turn) return false;
    if (directive && !directive(thread.directive)) return false;
    if (lastTool !== undefined && lastToolName(messages) !== lastTool) return false;
    return lastText === undefined || lastText.test(messages.at(-1)?.text ?? '');
  };
}
