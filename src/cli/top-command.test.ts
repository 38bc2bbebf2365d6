import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { socketPlaces } from '../host/control-socket/control-socket-place.ts';
import type { CliIo } from './io.ts';
import { topCommand } from './top-command.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'skein-top-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

type Screen = { readonly isTTY?: boolean; readonly columns?: number };

/** A terminal, or something else, whose person leaves: by a key as soon as keys are listened to, or by Ctrl-C once something is shown. */
function personAt(screen: Screen) {
  const seen = { out: '', keys: 0, exits: new Array<number>() };
  let interrupt = (): void => undefined;
  const io: CliIo = {
    stdout: {
      ...screen,
      write(text) {
        seen.out += text;
        interrupt();
      },
    },
    stderr: { write: () => true },
    env: { SKEIN_USER_SPACE: join(project, 'user') },
    cwd: project,
    onInterrupt(listener) {
      interrupt = listener;
      return () => undefined;
    },
    onKey(listener) {
      seen.keys++;
      listener('q');
      return () => undefined;
    },
    exit: (code) => void seen.exits.push(code),
  };
  return { io, seen, interrupt: () => interrupt() };
}

describe('skein top', () => {
  test.each<[args: string, screen: Screen, keys: number]>([
    ['', { isTTY: true }, 1],
    ['--watch', { isTTY: true }, 1],
    ['--once', { isTTY: true }, 0],
    ['--json', { isTTY: true }, 0],
    ['--json --watch', { isTTY: true }, 0],
    ['', {}, 0],
    ['--watch', {}, 0],
  ])('takes the terminal for its keys only to draw on it: %j on %j', async (args, screen, keys) => {
    const { io, seen } = personAt(screen);
    expect(await topCommand.run(args === '' ? [] : args.split(' '), io)).toBe(0);
    expect([seen.keys, seen.exits]).toEqual([keys, [0]]);
  });

  test.each([undefined, 0])('prints whole lines on a terminal of %j columns', async (columns) => {
    const { io, seen } = personAt({ isTTY: true, ...(columns !== undefined && { columns }) });
    await topCommand.run(['--once'], io);
    expect(seen.out).toMatch(/^\S.*no runtime\S*\nthreads {2}none\nspend {4}\$0\.00\n/);
  });
});

describe('Beside a runtime that does not answer', () => {
  let runtime: Server;
  let sockets: Socket[];
  let asked: Promise<unknown>;
  beforeEach(async () => {
    const folder = join(project, '.ai', 'threads');
    mkdirSync(folder, { recursive: true });
    const heard = Promise.withResolvers<unknown>();
    asked = heard.promise;
    sockets = [];
    runtime = createServer((socket) => {
      sockets.push(socket);
      socket.once('data', heard.resolve);
    });
    const listens = Promise.withResolvers<void>();
    runtime.listen(socketPlaces({ folder })[0]?.path, listens.resolve);
    await listens.promise;
  });
  afterEach(async () => {
    const closed = Promise.withResolvers<unknown>();
    runtime.close(closed.resolve);
    for (const socket of sockets) socket.destroy();
    await closed.promise;
  });

  test.each<[args: string, screen: Screen, code: number]>([
    ['--watch', {}, 0],
    ['--watch --json', {}, 0],
    ['--once', {}, 130],
  ])('skein top %s is left at the first Ctrl-C', async (args, screen, code) => {
    const { io, seen, interrupt } = personAt(screen);
    const ended = topCommand.run(args.split(' '), io);
    await asked;
    interrupt();
    expect(await ended).toBe(code);
    // What was asked would keep the process.
    expect(seen).toMatchObject({ out: '', exits: [code] });
  });
});
