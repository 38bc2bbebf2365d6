import type { StandardSchemaV1 } from '@standard-schema/spec';
import { messageOf, type Failure } from '../../core/errors.ts';
import { outputIssues } from '../../core/input-issues.ts';

/** What a caller's schema makes of outputs, or why they do not fit (`invalid_output`); `hasThrown`: it can't say. */
export type CheckedOutputs<Outputs> =
  | { readonly ok: true; readonly value: Outputs }
  | { readonly ok: false; readonly failure: Failure; readonly hasThrown: boolean };

/** Checks outputs by a caller's schema. It is the embedder's code: what it throws is a failure, not a rejection. */
export async function checkOutputs<Outputs>(
  schema: StandardSchemaV1<unknown, Outputs>,
  given: unknown,
): Promise<CheckedOutputs<Outputs>> {
  try {
    const checked = await schema['~standard'].validate(given);
    if (!checked.issues) return { ok: true, value: checked.value };
    return refused(`The outputs do not fit: ${outputIssues(checked.issues)}`, false);
  } catch (thrown) {
    return refused(`The schema of the outputs threw: ${messageOf(thrown)}`, true);
  }
}

function refused(message: string, hasThrown: boolean): CheckedOutputs<never> {
  return { ok: false, failure: { code: 'invalid_output', message }, hasThrown };
}
