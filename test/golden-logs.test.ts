import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ReplayedThread } from '../src/index.ts';
import { openStore } from '../src/store/open.ts';
import { shippedTables } from './conformance/store-fixture.ts';
import { project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';

const FOLDER = new URL('golden-logs/', import.meta.url);

test.each(readdirSync(FOLDER).filter((name) => name.startsWith('v')))(
  'The log of %s is read to the states that it had, and is clean',
  async (release) => {
    using made = project();
    const folder = join(made.path, '.ai', 'threads');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'threads.db');
    writeFileSync(path, gunzipSync(readFileSync(new URL(`${release}/threads.db.gz`, FOLDER))));
    // As a runtime does: an older schema is brought up to date.
    openStore({ path, tables: shippedTables(), now: Date.now }).close();
    const { doctor, replay } = await importSkein();
    expect(await doctor({ project: made.path, env: {} })).toMatchObject({ isClean: true, findings: [] });
    const states: ReplayedThread[] = JSON.parse(readFileSync(new URL(`${release}/states.json`, FOLDER), 'utf8'));
    expect(states.length).toBeGreaterThan(10);
    for (const state of states) {
      expect(await replay(made.path, state.id, { to: state.sequence })).toMatchObject(state);
    }
  },
);
