import type { StandardSchemaV1 } from '@standard-schema/spec';
import { failed, type Result } from './result.ts';

/** What does not fit in an input, and where. */
export type InputIssue = { readonly path: string; readonly message: string };

const MAX_SHOWN = 8;

/** The failure for an input that does not fit; `detail.issues` lists `{path, message}`. */
export function refuseInput(issues: readonly InputIssue[]): Result<never> {
  const lines = issues.slice(0, MAX_SHOWN).map(({ path, message }) => `${path || 'the input'} ${message}`);
  const more = issues.length > MAX_SHOWN ? `; and ${issues.length - MAX_SHOWN} more` : '';
  return failed({
    code: 'tool_input_invalid',
    message: `the input does not fit the tool's schema: ${lines.join('; ')}${more}`,
    detail: { issues: issues.slice(0, MAX_SHOWN) },
  });
}

/** The same for what a Standard Schema says. */
export function refuseStandard(issues: readonly StandardSchemaV1.Issue[]): Result<never> {
  return refuseInput(issues.map(({ path, message }) => ({ path: pathText(path), message: `(${message})` })));
}

/** Where an issue is: `a.0.b`; the input itself is ''. */
export function pathText(path: StandardSchemaV1.Issue['path'] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
