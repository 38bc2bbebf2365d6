import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SYSTEM_DIR } from '../../config/default-places.ts';
import { loadConfig } from '../../config/load.ts';
import { createItemCache, type ItemCache } from '../item-cache.ts';
import { createParserRouter } from '../parser-router.ts';
import { createSpaces } from '../spaces.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createItemVerifier, formsOf } from './item-verifier.ts';
import { signText } from './sign-text.ts';
import { createSigner } from './signer.ts';
import { trustKey } from './trust-key.ts';
import { createTrustStore } from './trust-store.ts';

const { extractors } = loadConfig({ systemDir: SYSTEM_DIR }).config;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = { fingerprint: fingerprintOf(publicKey), key: publicKey };
const order = { signer: createSigner(privateKey), atIso: '2026-11-22T10:11:12Z' };

let root: string;
let time: number;
let cache: ItemCache;
let policy: Record<'project' | 'user' | 'system', 'strict' | 'off'>;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-verifier-'));
  time = 0;
  policy = { project: 'strict', user: 'strict', system: 'strict' };
  const now = (): number => time;
  const places = { projectPath: join(root, 'project'), userSpace: join(root, 'user') };
  const router = createParserRouter(extractors);
  const trust = createTrustStore({ ...places, systemDir: root, projectVouches: true, now });
  cache = createItemCache(createSpaces(places, router), {
    router,
    now,
    verify: createItemVerifier(trust, formsOf(extractors)),
    keysRevision: () => trust.revision(),
    policy,
  });
  put('knowledge', 'k.md', signText('---\ntitle: K\n---\ntext\n', 'html', order));
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (folder: string, name: string, text: string): void => {
  mkdirSync(join(root, 'project', '.ai', folder), { recursive: true });
  writeFileSync(join(root, 'project', '.ai', folder, name), text);
};

test('a key that is trusted, or no longer trusted, counts after a second, though no item has changed', () => {
  const refused = expect.objectContaining({ code: 'item_unsigned' });
  expect(() => cache.knowledge('k')).toThrow(refused);
  const { file } = trustKey(join(root, 'user'), key);
  expect(() => cache.knowledge('k')).toThrow(refused);
  time = 1000;
  const used = cache.knowledge('k');
  expect(used.content.trim()).toBe('text');
  time = 2000;
  expect(cache.knowledge('k')).toBe(used);
  rmSync(file);
  time = 3000;
  expect(() => cache.knowledge('k')).toThrow(refused);
});

test.each([
  ['tool', 'tools', 't.json', 'json', '{"version":"1.0.0","tool_type":"x","executor_id":"a/b","description":"d"}'],
  ['tool', 'tools', 't.yaml', '#', 'version: "1.0.0"\ntool_type: x\nexecutor_id: a/b\ndescription: d\n'],
  ['tool', 'tools', 't.py', '#', '#!/usr/bin/python3\n__version__ = "1.0.0"\n__tool_description__ = "d"\n'],
  ['tool', 'tools', 't.ts', '//', '\uFEFFexport const __version__ = "1.0.0";\n'],
  ['tool', 'tools', 't.sh', '#', '#!/bin/sh\n# __version__: 1.0.0\ntrue\n'],
  ['directive', 'directives', 't.md', 'html', '# T\n\n```xml\n<directive name="t" version="1"/>\n```\n\nDo it.\n'],
  ['knowledge', 'knowledge', 't.md', 'html', '\uFEFF---\r\ntitle: T\r\n---\r\ntext\r\n'],
] as const)(
  'a signed %s in %s/%s is read as the unsigned one, with no more warnings',
  (kind, folder, name, form, text) => {
    trustKey(join(root, 'user'), key);
    put(folder, name, signText(text, form, order));
    const signed = cache.parsed(kind, 't');
    put(folder, name, text);
    policy.project = 'off';
    time = 5000;
    const plain = cache.parsed(kind, 't');
    // What stands before the fence of a directive is kept whole, the signature line too.
    const told = ({ data, warnings }: typeof plain): object => ({ ...data, preamble: '', warnings });
    expect(told(signed)).toEqual(told(plain));
  },
);
