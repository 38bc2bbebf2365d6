import type { StandardSchemaV1 } from '@standard-schema/spec';
import { cutText } from './cut-text.ts';
import { failed, type Result } from './result.ts';

/** What does not fit in an input, and where. */
export type InputIssue = { readonly path: string; readonly message: string };

const MAX_SHOWN = 8;
/** Most characters that are shown of an issue, which may name all that a schema takes, and of its path: both may repeat what was sent. */
const MAX_MESSAGE = 2_000;
const MAX_PATH = 200;

/** The failure for an input that does not fit; `detail.issues` lists `{path, message}`. */
export function refuseInput(issues: readonly InputIssue[]): Result<never> {
  const { shown, more } = shownIssues(issues);
  const lines = shown.map(({ path, message }) => `${path || 'the input'} ${message}`);
  return failed({
    code: 'tool_input_invalid',
    message: `the input does not fit the tool's schema: ${lines.join('; ')}${more}`,
    detail: { issues: shown },
  });
}

/** The same for what a Standard Schema says. */
export function refuseStandard(issues: readonly StandardSchemaV1.Issue[]): Result<never> {
  return refuseInput(issues.map(({ path, message }) => ({ path: pathText(path), message: `(${message})` })));
}

/** What a Standard Schema says of outputs, as one text. */
export function outputIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  const { shown, more } = shownIssues(issues.map(({ path, message }) => ({ path: pathText(path), message })));
  return `${shown.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}${more}`;
}

/** The first issues, cut to a length that a model can be sent; `more` counts the others. */
function shownIssues(issues: readonly InputIssue[]): { readonly shown: readonly InputIssue[]; readonly more: string } {
  const shown = issues
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => ({ path: cutText(path, MAX_PATH), message: cutText(message, MAX_MESSAGE) }));
  return { shown, more: issues.length > MAX_SHOWN ? `; and ${issues.length - MAX_SHOWN} more` : '' };
}

/** Where an issue is: `a.0.b`; the input itself is ''. */
function pathText(path: StandardSchemaV1.Issue['path'] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
