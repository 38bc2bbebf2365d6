import { resolve } from 'node:path';
import { doctor, type DoctorReport, type Finding } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { COMMON, flag } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';

/** `skein doctor`: checks the invariants of a project's database, and repairs it if asked to. Fails unless it is clean. */
export const doctorCommand: Command = defineCommand({
  name: 'doctor',
  takes: '',
  summary: 'check the invariants of the database; exit 0 only if it is clean',
  options: { ...COMMON, repair: flag('put right what can be without losing data; no runtime may hold the project') },
  examples: [
    ['skein doctor', 'look, and change nothing'],
    ['skein doctor --repair', 'put right what can be'],
  ],
  async run({ values, positionals }, io) {
    noPositionals('doctor', positionals);
    const { project = '.', repair = false, json = false } = values;
    const report = await doctor({ project: resolve(io.cwd, project), repair, env: io.env });
    io.stdout.write(json ? `${printableJson(wire(report))}\n` : text(report, repair));
    return report.isClean ? EXIT.completed : EXIT.failed;
  },
});

function wire({ isClean, database, heldBy, repaired, findings }: DoctorReport): object {
  return {
    clean: isClean,
    database,
    held_by: heldBy ?? null,
    repaired: repaired.map(({ threadId, message }) => ({ thread_id: threadId, message })),
    findings: findings.map(({ threadId, ...finding }) => ({ ...finding, thread_id: threadId })),
  };
}

function text({ isClean, database, heldBy, repaired, findings }: DoctorReport, repair: boolean): string {
  const lines = [
    ...(heldBy === undefined ? [] : [`Process ${heldBy} runs this project: looked at, and nothing changed`]),
    ...repaired.map(({ threadId, message }) => `repaired  ${of(threadId)}${printable(message)}`),
    ...findings.map(findingLine),
    `${printable(database)}: ${isClean ? 'clean' : `${findings.length} found`}${hint(findings, repair)}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function findingLine({ invariant, threadId, sequence, message }: Finding): string {
  const place = sequence === undefined ? '' : `#${sequence}  `;
  return `${invariant.padEnd(8)}  ${of(threadId)}${place}${printable(message)}`;
}

function of(threadId: string | undefined): string {
  return threadId === undefined ? '' : `${printable(threadId)}  `;
}

function hint(findings: readonly Finding[], repair: boolean): string {
  if (findings.length === 0) return '';
  return repair ? '; this can not be repaired without losing data' : '; skein doctor --repair puts right what can be';
}
