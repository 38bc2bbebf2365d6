import { isRichKind, type PromptyAgent } from '../../core/prompty-agent.ts';
import { NONCE_START } from './engine/nonce-start.ts';
import type { NonceSource } from './nonces.ts';
import { readRichValue, type RichValue } from './rich-value.ts';
import { validateInputs, type PromptyInputs } from './validate-inputs.ts';

/** What stands for what, of one call. */
export type NonceMap = ReadonlyMap<string, RichValue>;

/** Inputs as a renderer gets them. */
export type PreparedInputs = { readonly inputs: PromptyInputs; readonly nonces: NonceMap };

const NO_NONCES: NonceMap = new Map();

/**
 * Steps 1 and 2 of S4's `render`: inputs validated, values of rich kinds replaced by nonces that no two calls share. A rich
 * input that is not given is missing to the template too, so that it can ask.
 *
 * @throws ValueError `missing_input`, `invalid_input`
 */
export function prepareInputs(agent: PromptyAgent, given: PromptyInputs, newNonce: NonceSource): PreparedInputs {
  const inputs = validateInputs(agent, given);
  let nonces: Map<string, RichValue> | undefined;
  for (const { name, kind } of agent.inputs) {
    if (!isRichKind(kind) || !Object.hasOwn(inputs, name)) continue;
    const nonce = `${NONCE_START}${newNonce()}_${name}__`;
    (nonces ??= new Map<string, RichValue>()).set(nonce, readRichValue(name, kind, inputs[name]));
    inputs[name] = nonce;
  }
  return { inputs, nonces: nonces ?? NO_NONCES };
}
