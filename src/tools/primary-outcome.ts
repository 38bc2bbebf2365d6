import { messageOf } from '../core/errors.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { failure, success, type ActionSubject, type PrimaryResult } from './primary-result.ts';

/** A tool's outcome as the result of the action that ran it (S2 §7.6): what it gave is the `data`, as plain JSON. */
export function outcomeResult(subject: ActionSubject, outcome: ToolOutcome): PrimaryResult {
  if (!outcome.ok) return failure(subject, outcome.failure);
  try {
    // A registered tool may give anything; what has no form in JSON is null.
    const data: unknown = JSON.parse(JSON.stringify(outcome.value) ?? 'null');
    return success(subject, data);
  } catch (thrown) {
    const message = `the tool ${subject.item_id} ran, and its result can't be written as JSON: ${messageOf(thrown)}`;
    return failure(subject, { code: 'tool_failed', message });
  }
}

/** The result of an action as the outcome of the tool that a model called for it. */
export function resultOutcome(result: PrimaryResult): ToolOutcome {
  if (result.status === 'success') return { ok: true, value: result };
  const { error, code, declared_inputs: declared, detail, where } = result;
  const inputs = declared === undefined ? '' : `. Its inputs: ${JSON.stringify(declared)}`;
  return {
    ok: false,
    failure: { code, message: error + inputs, ...(where && { where }), ...(detail && { detail }) },
  };
}
