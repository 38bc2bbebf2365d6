import { compileRule } from './providers/scripted-rule.ts';
import { parseScript, type Script } from './providers/scripted-schema.ts';

export type { ScriptedModel } from './providers/scripted.ts';
export type { Script } from './providers/scripted-schema.ts';
export {
  startLlmServer,
  type LlmServer,
  type LlmServerOptions,
  type SeenRequest,
} from './providers/server/llm-server.ts';

/**
 * Checks a script of the scripted model and returns it for `createRuntime({scripts: {name: script}})`; threads use it as
 * model `scripted:name`.
 *
 * @throws SkeinError `invalid_config` naming the first wrong place, e.g. `rules[2].tool_calls[0].name`
 */
export function defineScript(script: Script): Script {
  // What is wrong in an expression shows when it is compiled.
  for (const [at, rule] of parseScript(script).rules.entries()) compileRule(rule, `rules[${at}]`);
  return script;
}
