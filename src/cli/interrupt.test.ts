import { expect, test } from 'vitest';
import { closeOnInterrupt } from './interrupt.ts';

/** A process that is sent signals, and what was done about them. */
function signalled() {
  const done: string[] = [];
  const listeners = new Set<() => void>();
  const io = {
    onInterrupt(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    exit: (code: number) => void done.push(`exit ${code}`),
  };
  const runtime = {
    close: async (options?: { readonly graceMs?: number }) => void done.push(`close ${options?.graceMs}`),
  };
  const interrupts = closeOnInterrupt(io, (line) => done.push(line.split(':')[0] ?? ''));
  const signal = (): void => {
    for (const listener of listeners) listener();
  };
  return { done, runtime, interrupts, signal };
}

test('The first signal closes the runtime, the second one ends the process', () => {
  const { done, runtime, interrupts, signal } = signalled();
  interrupts.closes(runtime);
  signal();
  expect([done, interrupts.seen()]).toEqual([['Closing', 'close 2000'], true]);
  signal();
  expect(done.at(-1)).toBe('exit 130');
});

test('A signal before there is a runtime ends the process, and one after it is nobody’s', () => {
  const { done, interrupts, signal } = signalled();
  signal();
  expect([done, interrupts.seen()]).toEqual([['exit 130'], false]);
  interrupts.stop();
  signal();
  expect(done).toHaveLength(1);
});
