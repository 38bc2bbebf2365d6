import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readYamlFile } from '../src/config/yaml.ts';
import { startLlmServer, type LlmServer, type Script } from '../src/testing.ts';
import { COMPILED } from './fixtures/skein-command.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const DEMO = join(PACKAGE_ROOT, 'examples', 'demo');
const FILES = { 'README.md': '# One\n\nwords\n', 'a.ts': 'export const a = 1;\n', 'b.txt': 'one two\nthree\n' };

let folder: string;
let server: LlmServer;
/** The report of a run in which the script is called without a wire. */
let expected: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-wires-'));
  mkdirSync(join(folder, 'surveyed'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, 'surveyed', name), text);
  // Checked by the server.
  const script = readYamlFile(join(DEMO, '.ai', 'scripts', 'survey.yaml')) as Script;
  server = await startLlmServer({ script });
  expected = await survey('scripted', 'scripted:survey', '');
}, 120_000);

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('The demo', { timeout: 120_000 }, () => {
  test.each([
    { wire: 'Anthropic Messages', path: '/v1/messages', provider: { kind: 'anthropic', base: '' } },
    { wire: 'OpenAI Chat Completions', path: '/v1/chat/completions', provider: { kind: 'openai', base: '/v1' } },
    { wire: 'OpenAI Responses', path: '/v1/responses', provider: { kind: 'openai', base: '/v1', api: 'responses' } },
    {
      wire: 'Gemini',
      path: '/v1beta/models/a-model:streamGenerateContent',
      provider: { kind: 'gemini', base: '' },
    },
  ])('reports the same over $wire', async ({ wire, path, provider: { kind, base, ...more } }) => {
    const settings = {
      kind,
      base_url: server.origin + base,
      api_key_env: 'WIRE_KEY',
      max_output_tokens: 4096,
      ...more,
    };
    const agent = JSON.stringify({ providers: { wire: settings }, unknown_price: 'zero' });
    const before = server.requests().length;
    expect(await survey(wire, 'wire:a-model', agent)).toBe(expected);
    const paths = new Set(
      server
        .requests()
        .slice(before)
        .map((seen) => seen.path.split('?')[0]),
    );
    expect([...paths]).toEqual([path]);
  });
});

/** Runs the demo with a model; gives its report. */
async function survey(name: string, model: string, agent: string): Promise<string> {
  const [home, project, cwd] = ['home', 'project', 'report'].map((part) => join(folder, `${name} ${part}`));
  if (home === undefined || project === undefined || cwd === undefined) throw new Error('three were named');
  mkdirSync(join(home, '.ai', 'config'), { recursive: true });
  mkdirSync(cwd);
  if (agent !== '') writeFileSync(join(home, '.ai', 'config', 'agent.yaml'), agent);
  cpSync(DEMO, project, { recursive: true, filter: (path) => !path.endsWith(join('.ai', 'threads')) });
  const command = [join(DEMO, 'run.mjs'), join(folder, 'surveyed'), '--project', project, '--model', model];
  const env = { ...COMPILED, PATH: process.env['PATH'], HOME: home, WIRE_KEY: 'any-key' };
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...command, '--workers', '1'], { cwd, env }, (error, _out, stderr) => {
      resolve(error ? stderr : '');
    });
  });
  expect(said).toBe('');
  return readFileSync(join(cwd, 'survey.md'), 'utf8');
}
