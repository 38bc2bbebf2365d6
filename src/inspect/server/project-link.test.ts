import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../../test/conformance/hand-clock.ts';
import { connectProject } from '../../index.ts';
import { createProjectLink, type ProjectLink } from './project-link.ts';

/** Longer than a project without a runtime is taken to be without one. */
const LATER_MS = 3_000;

describe('A project that nobody runs', () => {
  let project: string;
  let clock: HandClock;
  let link: ProjectLink;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'skein-link-'));
    clock = createHandClock();
    link = createProjectLink({ connect: () => connectProject({ project, userSpace: false, env: {} }), clock });
  });
  afterEach(async () => {
    await link.close();
    rmSync(project, { recursive: true, force: true });
  });

  function breakConfig(): void {
    mkdirSync(join(project, '.ai', 'config'), { recursive: true });
    writeFileSync(join(project, '.ai', 'config', 'agent.yaml'), 'models: [');
  }

  test('is looked at on and on while its config can not be read', async () => {
    const before = await link.connection();
    breakConfig();
    for (let round = 0; round < 2; round++) {
      clock.advance(LATER_MS);
      expect(await link.connection()).toBe(before);
      expect([before.isOpen, await before.orchestrator.listThreads()]).toMatchObject([true, { threads: [] }]);
    }
    rmSync(join(project, '.ai'), { recursive: true });
    clock.advance(LATER_MS);
    expect(await link.connection()).toBe(before);
  });

  test('is not looked at if its config could not be read from the beginning', async () => {
    breakConfig();
    await expect(link.connection()).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('is reached through another connection once a runtime that does not answer has come or gone', async () => {
    mkdirSync(join(project, '.ai', 'threads'), { recursive: true });
    const pid = join(project, '.ai', 'threads', 'runtime.pid');
    const connections = [await link.connection()];
    for (const change of [() => writeFileSync(pid, `${process.pid}\n`), () => rmSync(pid), () => undefined]) {
      change();
      clock.advance(LATER_MS);
      connections.push(await link.connection());
    }
    const [first, held, left, same] = connections;
    expect(new Set([first, held, left]).size).toBe(3);
    expect(same).toBe(left);
  });

  test('is reached no more once the link is closed', async () => {
    await link.connection();
    await link.close();
    clock.advance(LATER_MS);
    await expect(link.connection()).rejects.toMatchObject({ code: 'runtime_closed' });
  });

  test('and whose database is new needs another connection, which its config keeps away', async () => {
    await link.connection();
    breakConfig();
    mkdirSync(join(project, '.ai', 'threads'));
    writeFileSync(join(project, '.ai', 'threads', 'threads.db'), '');
    clock.advance(LATER_MS);
    await expect(link.connection()).rejects.toMatchObject({ code: 'invalid_config' });
  });
});
