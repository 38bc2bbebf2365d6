// Makes the golden log of a release: a database as this version writes it, and what replay says of every thread in it.
// Later versions must read it to the same states. Run once a release, after the build: node scripts/make-golden-log.mjs
// It does not overwrite the log of a version that has one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { createRuntime, replay } from 'skein';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const target = new URL(`../test/golden-logs/v${version}/`, import.meta.url);

const call = (name, input = {}) => ({ tool_calls: [{ name, input }] });
const SPAWN = 'rye_agent_threads_thread_directive';
const full = { input_tokens: 120_000, output_tokens: 10 };
/** What each directive's model says in turn 1, 2 …, and the limits it has. */
const PARTS = {
  plain: {
    says: [call('app_echo', { text: 'a' }), call('rye_agent_threads_directive_return', { note: 'done' })],
    head: '<outputs><output name="note" type="string" required="true">A note</output></outputs>',
  },
  fails: { says: [{ error: { status_code: 400, message: 'no' } }] },
  waits: { says: [call('app_echo', { text: 'b' }), { text: 'went on' }], limits: 'spend="1" turns="1"' },
  long: {
    says: [{ ...call('app_echo', { text: 'c' }), usage: full }, { text: 'at last' }],
    limits: 'spend="1" tokens="9000000"',
  },
  never: { says: [{ text: 'too late', delay_ms: 600_000 }] },
  tree: {
    says: [
      {
        tool_calls: ['plain', 'waits'].map((directive_name) => ({
          name: SPAWN,
          input: { directive_name, async_exec: true },
        })),
      },
      call(SPAWN, { directive_name: 'plain' }),
      { text: 'all done' },
    ],
    limits: 'spend="100" tokens="9000000"',
  },
};

const project = mkdtempSync(join(tmpdir(), 'skein-golden-'));
try {
  writeDirectives();
  const ids = await run();
  writeGolden(await Promise.all(ids.map(statesOf)));
} finally {
  rmSync(project, { recursive: true });
}

function writeDirectives() {
  mkdirSync(join(project, '.ai', 'directives'), { recursive: true });
  for (const [id, { limits = 'spend="1"', head = '' }] of Object.entries(PARTS)) {
    const permissions = '<permissions><execute><tool>*</tool><directive>*</directive></execute></permissions>';
    const metadata = `<metadata><description>${id}</description><limits ${limits}/>${permissions}</metadata>`;
    const xml = `<directive name="${id}" version="1.0.0">${metadata}${head}</directive>`;
    writeFileSync(join(project, '.ai', 'directives', `${id}.md`), `\`\`\`xml\n${xml}\n\`\`\`\n\nDo it.\n`);
  }
}

/** Runs one thread of every kind; returns all ids. */
async function run() {
  await using runtime = await createRuntime({
    project,
    userSpace: false,
    workers: 1,
    env: { PATH: process.env.PATH },
    scripts: { main: { rules: Object.entries(PARTS).flatMap(rulesOf) } },
    config: { agent: { tiers: { general: { provider: 'scripted', model: 'main' } }, trust: { project: 'off' } } },
  });
  await runtime.registerTool({
    id: 'app/echo',
    description: 'Says it again',
    input: z.object({ text: z.string() }),
    run: ({ text }) => text,
  });
  const threads = {};
  for (const id of Object.keys(PARTS)) {
    threads[id] = await runtime.spawn(id);
    if (id !== 'never') await runtime.waitAll([threads[id].id]);
  }
  await threads.never.cancel('not needed');
  const again = await threads.waits.resume('Go on', { limits: { turns: 5 } });
  await runtime.waitAll([again.id]);
  const fork = await runtime.fork(threads.plain.id, { at: 5 });
  await runtime.waitAll([fork.id]);
  return runtime.list({ limit: 1000 }).map(({ id }) => id);
}

function rulesOf([directive, { says }]) {
  return says.map((answer, index) => ({ directive, ...(index < says.length - 1 && { turn: index + 1 }), ...answer }));
}

/** The whole thread, and how it was half-way. */
async function statesOf(id) {
  const whole = await replay(project, id);
  return [whole, await replay(project, id, { to: Math.floor(whole.lastSequence / 2) })];
}

function writeGolden(states) {
  mkdirSync(target);
  const path = join(project, '.ai', 'threads', 'threads.db');
  const db = new Database(path);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  writeFileSync(new URL('threads.db.gz', target), gzipSync(readFileSync(path), { level: 9 }));
  writeFileSync(new URL('states.json', target), `${JSON.stringify(states.flat(), undefined, 2)}\n`);
}
