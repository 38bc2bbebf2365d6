import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const SKEIN = join(PACKAGE_ROOT, 'dist', 'src', 'cli', 'main.js');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-llm-'));
  writeFileSync(join(folder, 'any.yaml'), 'rules: [{ text: "I am ${model}" }]\n');
  writeFileSync(join(folder, 'stall.yaml'), 'rules: [{ text: abc, break: { how: stall } }]\n');
  writeFileSync(join(folder, 'wrong.yaml'), 'rules: [{ txt: a }]\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('skein llm-server', { timeout: 30_000 }, () => {
  test('prints where it is, answers, and closes with a stream open when it is interrupted', async () => {
    const child = spawn(process.execPath, [SKEIN, 'llm-server', 'any.yaml', '--script', 'slow=stall.yaml', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
    const { origin }: { origin: string } = JSON.parse(line);
    const ask = (model: string, stream: boolean) => {
      const body = JSON.stringify({ model, stream, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
      return fetch(`${origin}/v1/messages`, { method: 'POST', body });
    };
    expect(await (await ask('gpt', false)).json()).toMatchObject({ content: [{ type: 'text', text: 'I am gpt' }] });
    const stalled = await ask('slow', true);
    expect(stalled.status).toBe(200);
    child.kill('SIGINT');
    await expect(stalled.text()).rejects.toThrow('terminated');
    expect(await ended).toBe(0);
  });

  test.each<[string, string[], number, string]>([
    ['no script', [], 2, 'needs a script'],
    ['two files', ['any.yaml', 'stall.yaml'], 2, 'takes one file'],
    ['a file that is not there', ['none.yaml'], 2, 'There is no such script'],
    ['a wrong script', ['wrong.yaml'], 3, 'at rules[0]'],
    ['a wrong port', ['any.yaml', '--port', '70000'], 2, '--port is "70000"'],
  ])('refuses %s in one line', async (_title, args, code, message) => {
    const run = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, [SKEIN, 'llm-server', ...args], { cwd: folder }, (error, _out, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(run).toEqual({ code, stderr: expect.stringContaining(message) });
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
