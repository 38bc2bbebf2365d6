import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { processIo } from './io.ts';

test.each<[pressed: string, keys: readonly string[]]>([
  ['qx\u0003', ['q', 'x', '\u0003']],
  // F2, Shift-Up and Escape: none of them is the letter that it ends with.
  ['\u001BOQ', ['\u001BOQ']],
  ['a\u001B[1;2Aq', ['a', '\u001B[1;2A', 'q']],
  ['\u001B', ['\u001B']],
])('%j is pressed as the keys %j', (pressed, keys) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  // As much of a process as is asked for.
  const host = { ...process, cwd: () => '/', stdin } as unknown as NodeJS.Process;
  const heard: string[] = [];
  const stop = processIo(host).onKey?.((key) => heard.push(key));
  stdin.emit('data', Buffer.from(pressed));
  stop?.();
  expect(heard).toEqual(keys);
});
