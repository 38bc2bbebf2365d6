import { describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../test/conformance/hand-clock.ts';
import type { LaunchedEnd } from './tool-launcher.ts';
import { ToolProcess, type ProcessEnd } from './tool-process.ts';

type Scene = {
  readonly clock: HandClock;
  readonly process: ToolProcess;
  /** What the launcher was told. */
  readonly told: string[];
  /** Its end, as the launcher says it. */
  readonly end: (end: LaunchedEnd) => void;
  readonly ends: ProcessEnd[];
};

function begin(): Scene {
  const clock = createHandClock();
  const told: string[] = [];
  const ends: ProcessEnd[] = [];
  let end: (end: LaunchedEnd) => void = () => undefined;
  const launcher = {
    start(order: object, ended: (end: LaunchedEnd) => void) {
      told.push(`start ${Object.keys(order).join(' ')}`);
      end = ended;
      return { signal: (signal: string) => void told.push(signal), endIfSilent: () => void told.push('end if silent') };
    },
  };
  const process = new ToolProcess(ORDER, { clock, graceMs: 100, launcher, ended: (how) => void ends.push(how) });
  process.start();
  return { clock, process, told, end: (how) => end(how), ends };
}

const ORDER = {
  command: 'sh',
  args: [],
  cwd: '/',
  env: {},
  input: '',
  verified: { file: '', sha256: '' },
  resultOn: 'stdout',
  timeoutMs: 1_000,
  maxOutputBytes: 10,
  memoryLimitMb: 0,
} as const;

const EXITED = {
  kind: 'exited',
  exitCode: 0,
  signal: null,
  result: '1',
  printed: 'said',
  wasSignalled: false,
} as const;
const ENDED = { ...EXITED, exitCode: null, signal: 'SIGTERM', wasSignalled: true } as const;

describe('The process of a call', () => {
  test('that ends in time leaves no timer', () => {
    const { clock, end, ends } = begin();
    expect(clock.pending()).toBe(1);
    end(EXITED);
    expect([ends, clock.pending()]).toEqual([[EXITED], 0]);
  });

  test('that is late is asked to end, then killed, and then its launcher has to show that it is alive', () => {
    const { clock, told, end, ends } = begin();
    const isToldAfter = (ms: number, ...words: string[]): void => {
      const before = told.length;
      clock.advance(ms - 1);
      expect(told).toHaveLength(before);
      clock.advance(1);
      expect(told.slice(before)).toEqual(words);
    };
    isToldAfter(1_000, 'SIGTERM');
    isToldAfter(100, 'SIGKILL');
    isToldAfter(5_000, 'end if silent', 'SIGKILL');
    isToldAfter(5_000, 'end if silent', 'SIGKILL');
    expect([ends, clock.pending()]).toEqual([[], 1]);
    end({ kind: 'lost', message: 'gone' });
    expect([ends, clock.pending()]).toEqual([[{ kind: 'lost', message: 'gone' }], 0]);
  });

  test.each<[string, LaunchedEnd, ProcessEnd]>([
    ['was sent a signal has timed out', ENDED, { kind: 'timed_out', result: '1', printed: 'said' }],
    ['had ended before the signal came keeps its result', EXITED, EXITED],
    [
      'had printed too much before ended for that',
      { kind: 'too_much_output', printed: '' },
      { kind: 'too_much_output', printed: '' },
    ],
  ])('that is late and %s', (_name, said, heard) => {
    const { clock, end, ends } = begin();
    clock.advance(1_000);
    end(said);
    expect([ends, clock.pending()]).toEqual([[heard], 0]);
  });

  test('that is stopped by its caller has not timed out', () => {
    const { process, end, ends, told } = begin();
    process.stop();
    end(ENDED);
    process.kill();
    expect([ends, told.slice(1)]).toEqual([[ENDED], ['SIGTERM']]);
  });
});
