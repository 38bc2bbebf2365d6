import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentSteps } from './fixtures/document-steps.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

/** A library that hands on what it gets from the package; what is an error in it is marked. */
const LIBRARY = `
import * as assembly from 'skein/assembly';
import * as machines from 'skein/machines';
import * as prompty from 'skein/prompty';
import * as testing from 'skein/testing';
import * as skein from 'skein';

export const { openSymbolIndex, createTierPolicy, assembleTieredMessages } = assembly;
export const { threadMachine, supervisorMachine } = machines;
export const { loadPrompty } = prompty;
export const { defineScript, startLlmServer } = testing;
export const runtime = await skein.createRuntime();
export const { orchestrator, approvals, inspector } = runtime;
export const report = await skein.doctor();
export const collected = await skein.collectGarbage();
export const { window } = await skein.connectProject();
export const [asked] = await approvals.list();
export const others = await approvals.list({ thread: asked?.threadId });

runtime.on('file_read', ({ payload }) => payload.path.length + payload.ms);
// @ts-expect-error of no type of the project
runtime.on('file_written', () => undefined);
export const handle = await runtime.spawn('peek');
for await (const event of handle) {
  if (event.event_type === 'file_read') event.payload.path satisfies string;
  if (event.event_type === 'thread_completed') event.payload.cost.spend satisfies number;
}
`;

/** The strictest that a program may be, without the types that only this package's sources need. */
const COMPILED = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  skipLibCheck: false,
  declaration: true,
  types: ['node'],
  outDir: 'out',
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-types-'));
  const installed = join(folder, 'node_modules', 'skein');
  const packageFile = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8');
  // Copied, not linked: what a file imports is looked for from where it really is.
  for (const part of ['src', 'machines']) {
    cpSync(join(PACKAGE_ROOT, 'dist', part), join(installed, 'dist', part), {
      recursive: true,
      filter: (source) => !/\.(?:js|map)$/.test(source),
    });
  }
  writeFileSync(join(installed, 'package.json'), packageFile);
  const { dependencies } = JSON.parse(packageFile) as { readonly dependencies: Readonly<Record<string, string>> };
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, 'node_modules', name), link);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('A program that checks the types of all it uses compiles, and knows the events of its project', () => {
  const document = readFileSync(join(PACKAGE_ROOT, 'docs', 'hooks.md'), 'utf8');
  const declared = documentSteps(document).find((step) => step.kind === 'file' && step.path === 'project-events.ts');
  if (declared?.kind !== 'file') throw new Error('hooks.md does not say how the events of a project are declared');
  writeFileSync(join(folder, 'project-events.ts'), declared.text);
  writeFileSync(join(folder, 'library.ts'), LIBRARY);
  writeFileSync(join(folder, 'renderer.ts'), rendererOfDocs());
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', type: 'module', private: true }));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILED, files: ['library.ts', 'project-events.ts', 'renderer.ts'] }),
  );
  const { stdout, status } = spawnSync(join(PACKAGE_ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder], {
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
}, 120_000);

/** How to use the package's prompts, and how to add a renderer to them. */
function rendererOfDocs(): string {
  const document = readFileSync(join(PACKAGE_ROOT, 'docs', 'prompty.md'), 'utf8');
  const shown = [...document.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const own = shown.find((code) => code.includes('renderers.register'));
  if (own === undefined) throw new Error('prompty.md does not say how a renderer is added');
  return [shown[0], own].join('\n');
}
