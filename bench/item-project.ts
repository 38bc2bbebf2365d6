import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/config/config.ts';
import { loadConfig } from '../src/config/load.ts';
import { systemClock } from '../src/core/clock.ts';
import { ITEM_FOLDERS } from '../src/items/spaces.ts';
import { formsOf } from '../src/items/signature/item-verifier.ts';
import { initKey, loadSigner } from '../src/items/signature/private-key.ts';
import { signText } from '../src/items/signature/sign-text.ts';
import { createItemServices, type ItemServices } from '../src/tools/item-services.ts';
import type { BenchItem } from './item-texts.ts';

const SYSTEM_DIR = fileURLToPath(new URL('../config', import.meta.url));

/** A project full of signed items, in a folder of its own that goes away with it. */
export type ItemProject = Disposable & {
  readonly signed: readonly BenchItem[];
  readonly config: Config;
  readonly projectPath: string;
  readonly userSpace: string;
  /** Opens the items as a worker does, with an index that is not there yet. */
  open(): ItemServices;
};

/** Signs the items with a new key and writes them into a project below `scratch`. */
export function createItemProject(items: readonly BenchItem[], scratch: string): ItemProject {
  mkdirSync(scratch, { recursive: true });
  const root = mkdtempSync(join(scratch, 'skein-items-'));
  const projectPath = join(root, 'project');
  const userSpace = join(root, 'user');
  const shipped = loadConfig({ systemDir: SYSTEM_DIR }).config;
  // What is in the sources is not signed; what is measured is, and must be.
  const trust = { project: 'strict', user: 'strict', system: 'off' } as const;
  const config = { ...shipped, agent: { ...shipped.agent, trust } };
  initKey(userSpace);
  const signer = loadSigner(userSpace);
  const formOf = formsOf(config.extractors);
  const atIso = new Date().toISOString();
  const signed = items.map((item) => ({
    ...item,
    text: signText(item.text, formOf({ ...item, space: 'project' }), { signer, atIso }),
  }));
  for (const item of signed) writeOld(join(projectPath, '.ai', pathOf(item)), item.text);
  return {
    signed,
    config,
    projectPath,
    userSpace,
    open: () => {
      rmSync(join(projectPath, '.ai', 'cache'), { recursive: true, force: true });
      return createItemServices({
        projectPath,
        userSpace,
        systemDir: SYSTEM_DIR,
        config,
        env: process.env,
        clock: systemClock,
        onProblem: ({ message }) => console.error(`the items report: ${message}`),
      });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function pathOf({ kind, id, extension }: BenchItem): string {
  return join(ITEM_FOLDERS[kind], `${id}${extension}`);
}

/** An hour old: a file that was just written may change again under the same time stamp, and is read twice. */
function writeOld(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const at = Date.now() / 1000 - 3600;
  utimesSync(file, at, at);
}
