import type { ModelRequest } from '../../core/provider.ts';
import type { Outcome } from '../scripted-answer.ts';
import { createAnswerer, type ScriptedModel } from '../scripted.ts';
import type { Script } from '../scripted-schema.ts';
import { planAnswer, planError } from './plan-answer.ts';
import type { Plan } from './play-answer.ts';
import { namePattern } from './thread-facts.ts';
import type { Wire, WireInput } from './wire.ts';

/** The scripts of a server. */
export type ServedScripts = {
  /** Answers for every model that `scripts` does not name. */
  readonly script?: Script | ScriptedModel | undefined;
  /** Scripts by the name of the model that they are. */
  readonly scripts?: Readonly<Record<string, Script | ScriptedModel>> | undefined;
};

/** A request for one of the wires; a body that is undefined was not JSON. */
export type WireRequest = WireInput & { readonly wire: Wire };

/** Makes what answers requests. Throws `invalid_config` for a wrong script. */
export function createAnswering({ script, scripts = {} }: ServedScripts): (request: WireRequest) => Plan {
  const any = script && createAnswerer(script, namePattern);
  const named = new Map(Object.entries(scripts).map(([name, given]) => [name, createAnswerer(given, namePattern)]));
  let answered = 0;
  return ({ wire, ...input }) => {
    if (input.body === undefined) return planError({ status: 400, message: 'The body is not JSON' }, wire);
    const call = wire.read(input);
    if ('error' in call) return planError(call.error, wire);
    const answer: ((request: ModelRequest) => Outcome) | undefined = named.get(call.request.model) ?? any;
    if (answer === undefined) {
      const message = `The model \`${call.request.model}\` does not exist`;
      return planError({ status: 404, message, code: 'model_not_found' }, wire);
    }
    answered += 1;
    return planAnswer(answer(call.request), call, { wire, id: `script_${answered}` });
  };
}
