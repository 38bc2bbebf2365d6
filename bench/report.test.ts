import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkPlaces, saveResults } from './report.ts';
import { summarise } from './results.ts';

const machine = { cores: 2, processor: 'p', memoryGb: 8, platform: 'linux x64', node: 'v24' };
const runs = [{ metrics: { wall: 1 }, problems: [] }];
const results = summarise({ scenario: 'tools', contender: 'skein', params: { threads: 1, turns: 1, llmMs: 0 }, runs });
const found = { machine, date: '2026-11-23T04:00:00.000Z', commit: 'a', results, failed: new Set<string>() };

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'skein-report-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const place = (name: string): string => join(folder, name);

test("a folder's other files are neither read for results nor written over", () => {
  writeFileSync(place('tsconfig.json'), '{ /* mine */ }');
  writeFileSync(place('package.json'), '{"reports": 5}');
  mkdirSync(place('folder.json'));
  saveResults('tools', found, folder);
  saveResults('tools', { ...found, date: '2026-11-24T04:00:00.000Z' }, folder);
  expect(readFileSync(place('report.html'), 'utf8')).toContain('2026-11-24');
  expect(readFileSync(place('tsconfig.json'), 'utf8')).toBe('{ /* mine */ }');
  expect(() => checkPlaces(['tools', 'store'], folder)).not.toThrow();
});

test.each(['{"mine": true}', '{ /* mine */ }'])("somebody else's %s with a scenario's name stays", (content) => {
  const path = place('tools.json');
  writeFileSync(path, content);
  const refusal = { code: 'invalid_argument', message: expect.stringContaining(path) };
  expect(() => checkPlaces(['fanout', 'tools'], folder)).toThrow(expect.objectContaining(refusal));
  expect(() => saveResults('tools', found, folder)).toThrow(expect.objectContaining(refusal));
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test("somebody else's report.html stays", () => {
  writeFileSync(place('report.html'), '<title>Coverage</title>');
  expect(() => checkPlaces(['tools'], folder)).toThrow(place('report.html'));
  rmSync(place('report.html'));
  saveResults('tools', found, folder);
  expect(() => checkPlaces(['tools'], folder)).not.toThrow();
});
