import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBrowser } from './open-browser.ts';

test('Whoever sees no page is told what to do, and the file that leads to the address is there until it is disposed of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-open-browser-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  // No program is found there.
  vi.stubEnv('PATH', folder);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
  const said: string[] = [];
  const page = openBrowser('http://127.0.0.1:1/#token=t', (line) => said.push(line));
  const [left = ''] = readdirSync(folder);
  expect(readFileSync(join(folder, left, 'open.html'), 'utf8')).toContain('url=http://127.0.0.1:1/#token=t"');
  page[Symbol.dispose]();
  expect(readdirSync(folder)).toEqual([]);
  expect(said).toEqual(['If no browser shows the page, open the address above']);
});

test('Where no file can be left, that is said, and nothing else comes of it', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, join(tmpdir(), 'skein-no-such-folder'));
  const said: string[] = [];
  openBrowser('http://127.0.0.1:1/#token=t', (line) => said.push(line))[Symbol.dispose]();
  expect(said).toEqual([expect.stringMatching(/^No browser can be opened \(ENOENT.*\): open the address above$/)]);
});
