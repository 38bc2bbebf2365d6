import { resolve } from 'node:path';
import { formatUsd, usdToNano } from '../core/money.ts';
import { replay, SkeinError, type ReplayedThread } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { formatCount } from './format.ts';
import { COMMON, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';

/**
 * `skein replay ID [--to SEQ]`: what a thread's log comes to at an event. Fails if that is not what is stored of the thread,
 * and says in what it differs.
 */
export const replayCommand: Command = defineCommand({
  name: 'replay',
  takes: 'ID',
  summary: "what a thread's log comes to at an event, compared with what is stored of it",
  options: {
    to: valued('SEQ', 'the last event that counts; 0 is before the first one (default: all of them)'),
    ...COMMON,
  },
  examples: [['skein replay thread-0198… --to 12', 'how it stood after event 12']],
  async run({ values, positionals }, io) {
    const id = onlyPositional('replay', 'thread', positionals);
    const to = values.to === undefined ? undefined : readSequence('--to', values.to);
    const replayed = await replay(resolve(io.cwd, values.project ?? '.'), id, to === undefined ? {} : { to });
    io.stdout.write(values.json ? `${printableJson(wire(replayed))}\n` : text(replayed));
    for (const { invariant, sequence, message } of replayed.differences) {
      const place = sequence === undefined ? '' : ` at event ${sequence}`;
      io.stderr.write(`skein: ${invariant}${place}: ${printable(message)}\n`);
    }
    return replayed.differences.length === 0 ? EXIT.completed : EXIT.failed;
  },
});

/** Reads the number of an event, or 0 for before the first one. @throws SkeinError `invalid_argument` */
export function readSequence(option: string, given: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new SkeinError('invalid_argument', `${option} is ${JSON.stringify(given)}; the number of an event is expected`);
}

function wire({ id, lastSequence, suspendReason, openCalls, comparedWith, ...replayed }: ReplayedThread): object {
  const { usage, children, differences, messages, ...same } = replayed;
  const { inputTokens, outputTokens, ...cost } = usage;
  return {
    thread_id: id,
    ...same,
    last_sequence: lastSequence,
    suspend_reason: suspendReason ?? null,
    cost: { ...cost, input_tokens: inputTokens, output_tokens: outputTokens },
    messages,
    open_calls: openCalls.map(({ callId, tool }) => ({ call_id: callId, tool })),
    children: children.map(({ id: child, status }) => ({ thread_id: child, status })),
    compared_with: comparedWith,
    differences: differences.map(({ invariant, sequence, message }) => ({ invariant, sequence, message })),
  };
}

function text(replayed: ReplayedThread): string {
  const { id, sequence, lastSequence, status, suspendReason, directive, usage, messages, children } = replayed;
  const tokens = formatCount(usage.inputTokens + usage.outputTokens);
  const lines = [
    `${printable(id)}  event ${sequence} of ${lastSequence}  ${status}${suspendReason ? ` (${suspendReason})` : ''}`,
    `directive: ${printable(directive)}`,
    `cost: ${usage.turns} turns · ${tokens} tokens · ${formatUsd(usdToNano(usage.spend))}`,
    `limits: ${printableJson(replayed.limits ?? {})}`,
    ...messages.map(({ role, text: said }) => `${role}: ${printable(said)}`),
    ...replayed.openCalls.map(({ callId, tool }) => `open call: ${printable(tool)} (${printable(callId)})`),
    ...children.map((child) => `child: ${printable(child.id)}  ${printable(child.status)}`),
    comparison(replayed),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function comparison({ comparedWith: { checkpoint, registry }, differences }: ReplayedThread): string {
  const stored = [
    ...(checkpoint === undefined ? [] : [`the checkpoint of event ${checkpoint}`]),
    ...(registry ? ['the registry'] : []),
  ];
  if (differences.length > 0) return `differs: ${differences.length}`;
  return stored.length === 0
    ? 'nothing is stored of this event to compare with'
    : `agrees with ${stored.join(' and ')}`;
}
