import { execFileSync, spawn as startProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-package-'));
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', type: 'module', private: true }));
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)],
    {
      cwd: folder,
    },
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the packed package runs a directive of the project it is installed in', () => {
  mkdirSync(join(folder, '.ai', 'directives'), { recursive: true });
  writeFileSync(
    join(folder, '.ai', 'directives', 'hello.md'),
    '```xml\n<directive name="hello" version="1.0.0"><metadata><description>Says hello</description></metadata></directive>\n```\n\nSay hello.\n',
  );
  writeFileSync(
    join(folder, 'main.js'),
    `import { createRuntime } from 'skein';
     await using runtime = await createRuntime({ userSpace: false, scripts: { hi: { rules: [{ text: 'hello' }] } } });
     const thread = await runtime.spawn('hello', {}, { model: 'scripted:hi' });
     const { status, text } = await thread.result;
     console.log(status, text);`,
  );
  const out = execFileSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' });
  expect(out.trim()).toBe('completed hello');
});

test('the installed package has a system space that its own key vouches for, and no private key', () => {
  const skein = join(folder, 'node_modules', '.bin', 'skein');
  const env = { ...process.env, SKEIN_USER_SPACE: join(folder, 'nobody') };
  const out = execFileSync(skein, ['verify', '--space', 'system', '--json'], { cwd: folder, env, encoding: 'utf8' });
  const items = JSON.parse(out) as { id: string; state: string }[];
  expect(items.map(({ id }) => id)).toContain('rye/file-system/read');
  expect(items.filter(({ state }) => state !== 'trusted')).toEqual([]);
  const files = readdirSync(join(folder, 'node_modules', 'skein'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.pem'))).toEqual([join('dist', 'config', 'space-key.pem')]);
});

test('the installed package serves the page of its dashboard, with all that it asks for', async () => {
  const ui = startProcess(join(folder, 'node_modules', '.bin', 'skein'), ['ui', '--json', '--project', folder], {
    cwd: folder,
    env: { ...process.env, SKEIN_USER_SPACE: join(folder, 'nobody') },
  });
  try {
    const [line] = (await once(createInterface(ui.stdout), 'line')) as [string];
    const { origin } = JSON.parse(line) as { origin: string };
    const answer = await fetch(`${origin}/`);
    const page = await answer.text();
    const files = [...page.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.map((file) => file?.replace(/^.*\./, ''))).toEqual(expect.arrayContaining(['js', 'css']));
    const statuses = await Promise.all(files.map(async (file) => (await fetch(`${origin}/${file}`)).status));
    expect([answer.status, ...new Set(statuses)]).toEqual([200, 200]);
  } finally {
    ui.kill('SIGINT');
    await once(ui, 'exit');
  }
});

test('the installed package measures itself, with what it ships alone', () => {
  const skein = join(folder, 'node_modules', '.bin', 'skein');
  const words = ['bench', 'fanout', '--threads', '20', '--llm', '0', '--runs', '1', '--json'];
  const out = execFileSync(skein, words, { cwd: folder, encoding: 'utf8' });
  const { results, problems } = JSON.parse(out) as { results: { contender: string }[]; problems: string[] };
  expect(problems).toEqual([]);
  expect(new Set(results.map(({ contender }) => contender))).toEqual(new Set(['skein', 'plain-encode']));
});

test.each(['skein', 'skein/machines', 'skein/testing', 'skein/prompty', 'skein/assembly'])(
  '%s can be imported',
  (entry) => {
    const code = `console.log(Object.keys(await import(${JSON.stringify(entry)})).length)`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' });
    expect(Number(out)).toBeGreaterThan(0);
  },
);
