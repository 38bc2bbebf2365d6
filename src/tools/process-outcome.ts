import { exactJson } from '../core/exact-json.ts';
import type { ToolItem } from '../core/item.ts';
import { nestsDeeper } from '../core/nests-deeper.ts';
import { isRecord } from '../core/record.ts';
import type { ToolOutcome } from '../core/tool.ts';
import type { ProcessEnd, ProcessOrder } from './tool-process.ts';

type Exited = Extract<ProcessEnd, { kind: 'exited' }>;
type Given = Pick<Exited, 'result' | 'printed'>;

const PRINTED_SHOWN = 2_000;
/** What is printed and nests deeper is shown as it is. */
const MAX_DEPTH = 64;

/**
 * What the end of a tool process means for its call. Every failure is `tool_failed`; `detail.reason` is one of
 * `not_started file_changed timeout output_too_large lost crashed threw`, with `exit_code`, `signal` and the end of what was printed.
 */
export function processOutcome(item: ToolItem, order: ProcessOrder, end: ProcessEnd): ToolOutcome {
  if (end.kind === 'not_started') {
    return failure(item, `could not be started: ${end.message}`, { reason: 'not_started' });
  }
  if (end.kind === 'file_changed') {
    const message = 'was not started: its file has changed since it was read and verified; call it again';
    return failure(item, message, { reason: 'file_changed' });
  }
  if (end.kind === 'lost') return failure(item, `was ended: ${end.message}`, { reason: 'lost' });
  if (end.kind === 'timed_out') {
    const message = `did not finish within ${order.timeoutMs / 1000} s and was ended`;
    const said = saidBy(order, end);
    return failure(item, `${message}${lastPrinted(said)}`, { reason: 'timeout', ...shown(said) });
  }
  if (end.kind === 'too_much_output') {
    const message = `wrote more than a tool may (result: ${order.maxOutputBytes} bytes) and was ended`;
    return failure(item, message, { reason: 'output_too_large', ...shown(end.printed) });
  }
  return order.resultOn === 'stdout' ? fromStdout(item, order, end) : fromChannel(item, end);
}

function fromStdout(item: ToolItem, order: ProcessOrder, end: Exited): ToolOutcome {
  if (end.exitCode !== 0) return crashed(item, { ...end, printed: saidBy(order, end) }, '');
  const text = end.result.replace(/\n$/, '');
  const json = exactJson(text);
  return { ok: true, value: json === undefined || nestsDeeper(json, MAX_DEPTH) ? text : json };
}

/** What a person would have seen of it: of a program whose output is its result, that and then the errors, the end of each. */
function saidBy({ resultOn }: ProcessOrder, { result, printed }: Given): string {
  if (resultOn !== 'stdout' || result.trim() === '') return printed;
  if (printed.trim() === '') return result;
  return `${lastOf(result, PRINTED_SHOWN / 2).trimEnd()}\n${lastOf(printed, PRINTED_SHOWN / 2)}`;
}

function fromChannel(item: ToolItem, end: Exited): ToolOutcome {
  const reply = exactJson(end.result);
  if (!isRecord(reply)) return crashed(item, end, ' before it gave a result');
  if (reply['ok'] === true) return { ok: true, value: reply['value'] ?? null };
  return failure(item, `threw: ${String(reply['error'])}`, { reason: 'threw', ...shown(end.printed) });
}

function crashed(item: ToolItem, end: Exited, missing: string): ToolOutcome {
  const how = end.signal === null ? `ended with exit code ${end.exitCode}` : `was ended by ${end.signal}`;
  const memory = /out of memory|MemoryError|cannot allocate memory/i.test(end.printed) ? ', out of memory' : '';
  return failure(item, `${how}${missing}${memory}${lastPrinted(end.printed)}`, {
    reason: 'crashed',
    exit_code: end.exitCode,
    signal: end.signal,
    ...shown(end.printed),
  });
}

function lastPrinted(printed: string): string {
  const said = printed.trim();
  return said === '' ? '' : `. It last printed:\n${lastOf(said)}`;
}

function shown(printed: string): { readonly printed?: string } {
  return printed === '' ? {} : { printed: lastOf(printed) };
}

function lastOf(printed: string, most = PRINTED_SHOWN): string {
  return printed.slice(-most).toWellFormed();
}

function failure(item: ToolItem, message: string, detail: Readonly<Record<string, unknown>>): ToolOutcome {
  return {
    ok: false,
    failure: { code: 'tool_failed', message: `tool ${item.id} ${message}`, where: { file: item.file }, detail },
  };
}
