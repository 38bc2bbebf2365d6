import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SPACE_NAMES, type SpaceName } from '../../core/item.ts';
import { fingerprintOf } from './fingerprint.ts';
import { findSigner, initKey, loadSigner } from './private-key.ts';
import { type PublicKey, readPublicKey, writePublicKey } from './public-key.ts';
import { trustKey } from './trust-key.ts';
import { createTrustStore, type TrustStore } from './trust-store.ts';

let root: string;
let user: string;
let project: string;
let time: number;
let warnings: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-keys-'));
  user = join(root, 'user');
  project = join(root, 'project');
  time = 0;
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const newKey = (): PublicKey => {
  const { publicKey } = generateKeyPairSync('ed25519');
  return { fingerprint: fingerprintOf(publicKey), key: publicKey };
};
const open = (options: { readonly projectVouches?: boolean; readonly projectPath?: string } = {}): TrustStore =>
  createTrustStore({
    userSpace: user,
    projectPath: project,
    systemDir: join(root, 'config'),
    projectVouches: true,
    now: () => time,
    onWarning: ({ message }) => warnings.push(message),
    ...options,
  });
const modeOf = (file: string): number => statSync(file).mode & 0o777;
const refusal = (code: string, message: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe('the own key', () => {
  test('is made once, for the user alone, and trusted by its public half', () => {
    const made = initKey(user);
    expect(made.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(modeOf(made.file)).toBe(0o600);
    expect(modeOf(dirname(made.file))).toBe(0o700);
    expect(readFileSync(made.publicFile, 'utf8')).not.toContain('PRIVATE');
    expect(loadSigner(user).fingerprint).toBe(made.fingerprint);
    expect(open().keysFor('user')(made.fingerprint)).toBeDefined();
    const before = readFileSync(made.file);
    expect(() => initKey(user)).toThrow(refusal('key_unusable', 'not replaced'));
    expect(readFileSync(made.file)).toEqual(before);
    expect(readdirSync(dirname(made.publicFile))).toHaveLength(1);
  });

  test('is not left in half where the private one can not be written', () => {
    mkdirSync(join(user, 'keys'), { recursive: true });
    symlinkSync('nowhere/private.pem', join(user, 'keys', 'private.pem'));
    expect(() => initKey(user)).toThrow(refusal('key_unusable', 'EEXIST'));
    expect(readdirSync(join(user, 'keys', 'trusted'))).toEqual([]);
  });

  test('closes a folder that was open to others', () => {
    mkdirSync(join(user, 'keys'), { recursive: true });
    chmodSync(join(user, 'keys'), 0o755);
    initKey(user);
    expect(modeOf(join(user, 'keys'))).toBe(0o700);
  });

  test.each([0o640, 0o604, 0o660, 0o601])('is not used when others may touch it: mode %o', (mode) => {
    const { file } = initKey(user);
    chmodSync(file, mode);
    expect(() => loadSigner(user)).toThrow(refusal('key_unusable', `mode ${mode.toString(8)}`));
  });

  test('is missed by name', () => {
    expect(findSigner(user)).toBeUndefined();
    expect(() => loadSigner(user)).toThrow(refusal('key_unusable', 'skein keys init'));
  });

  const pem = (type: 'x25519' | 'ed25519'): string =>
    (type === 'x25519' ? generateKeyPairSync('x25519') : generateKeyPairSync('ed25519')).privateKey
      .export({ type: 'pkcs8', format: 'pem' })
      .toString();
  const locked = generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  test.each([
    ['nothing', '', "can't be read"],
    ['text', 'key', "can't be read"],
    ['a public key', writePublicKey(newKey()), "can't be read"],
    ['a key with a passphrase', locked, 'without a passphrase'],
    ['a key of another type', pem('x25519'), 'type x25519'],
    ['more than a key', pem('ed25519') + '#'.repeat(5000), 'longer than'],
  ])('is not %s', (_, text, message) => {
    put(join(user, 'keys', 'private.pem'), text);
    chmodSync(join(user, 'keys', 'private.pem'), 0o600);
    expect(() => loadSigner(user)).toThrow(refusal('key_unusable', message));
  });

  test('is not a folder', () => {
    mkdirSync(join(user, 'keys', 'private.pem'), { recursive: true });
    expect(() => loadSigner(user)).toThrow(refusal('key_unusable', 'not a regular file'));
  });
});

describe('a public key', () => {
  test('is read from PEM text, and written without what stood beside it', () => {
    const key = newKey();
    const read = readPublicKey(`A remark\n${writePublicKey(key)}`);
    expect(read.fingerprint).toBe(key.fingerprint);
    expect(writePublicKey(read)).toBe(writePublicKey(key));
  });

  const secret = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const other = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  test.each([
    ['a private key', secret, 'private key'],
    ['a private key behind a public one', writePublicKey(newKey()) + secret, 'private key'],
    ['a key of another type', other, 'type x25519'],
    ['text', 'key', 'PEM form'],
    ['a broken key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', "can't be read"],
  ])('is not %s', (_, text, message) => {
    expect(() => readPublicKey(text)).toThrow(refusal('invalid_argument', message));
  });
});

describe('the trust store', () => {
  /** Which spaces' items a key in a place vouches for. */
  const vouched = (store: TrustStore, { fingerprint }: PublicKey): readonly SpaceName[] =>
    SPACE_NAMES.filter((space) => store.keysFor(space)(fingerprint) !== undefined);

  test.each([
    ['user', true, ['project', 'user']],
    ['user', false, ['project', 'user']],
    ['project', true, ['project']],
    ['project', false, []],
    ['system', true, ['system']],
  ] as const)('has keys of the %s (project vouches: %s) vouch for items of %j', (place, projectVouches, spaces) => {
    const key = newKey();
    if (place === 'system') put(join(root, 'config', 'space-key.pem'), writePublicKey(key));
    else trustKey(place === 'user' ? user : join(project, '.ai'), key);
    const store = open({ projectVouches });
    expect(vouched(store, key)).toEqual(spaces);
    expect(store.list()).toEqual([
      expect.objectContaining({ fingerprint: key.fingerprint, space: place, vouchesFor: spaces }),
    ]);
  });

  test.each(['project', 'link'])('takes a project that is the user space, at %s, for the user', (at) => {
    user = join(root, at, '.ai');
    mkdirSync(project);
    symlinkSync('project', join(root, 'link'));
    const key = newKey();
    trustKey(user, key);
    expect(open({ projectVouches: false }).list()).toEqual([expect.objectContaining({ space: 'user' })]);
  });

  test('is empty where nothing is', () => {
    const store = createTrustStore({ projectPath: project, systemDir: root, projectVouches: true, now: () => 0 });
    expect(store.list()).toEqual([]);
    expect(vouched(store, newKey())).toEqual([]);
  });

  test('notices after a second that a key is trusted or no longer trusted', () => {
    const key = newKey();
    const store = open();
    const lookup = store.keysFor('project');
    expect(lookup(key.fingerprint)).toBeUndefined();
    const before = store.revision();
    const { file } = trustKey(user, key);
    time = 999;
    expect(lookup(key.fingerprint)).toBeUndefined();
    expect(store.revision()).toBe(before);
    time = 1000;
    expect(lookup(key.fingerprint)).toBeDefined();
    expect(store.revision()).toBeGreaterThan(before);
    rmSync(file);
    time = 2000;
    expect(lookup(key.fingerprint)).toBeUndefined();
  });

  test('passes over files that hold no key or another one than they are named for, and says so once', () => {
    const [good, swapped, wanted] = [newKey(), newKey(), newKey()];
    const folder = dirname(trustKey(user, good).file);
    put(join(folder, `${wanted.fingerprint}.pem`), writePublicKey(swapped));
    put(join(folder, 'empty.pem'), '');
    put(join(folder, 'README'), 'not looked at');
    put(join(folder, 'named.pem'), writePublicKey(newKey()));
    mkdirSync(join(folder, 'folder.pem'));
    const store = open();
    expect(store.list()).toHaveLength(2);
    expect(store.keysFor('user')(swapped.fingerprint)).toBeUndefined();
    time = 5000;
    store.list();
    expect(warnings).toHaveLength(3);
    for (const part of ['not a regular file', 'PEM form', `has the fingerprint ${swapped.fingerprint}`]) {
      expect(warnings).toContainEqual(expect.stringContaining(part));
    }
  });
});

describe('trusting a key', () => {
  test('puts it in a file of its own, once', () => {
    const key = newKey();
    const first = trustKey(user, key);
    expect(first).toEqual({
      fingerprint: key.fingerprint,
      file: join(user, 'keys', 'trusted', `${key.fingerprint}.pem`),
      added: true,
    });
    expect(trustKey(user, key)).toEqual({ ...first, added: false });
    expect(modeOf(join(user, 'keys'))).toBe(0o700);
  });

  test('does not replace another key in its place', () => {
    const [key, other] = [newKey(), newKey()];
    const file = join(user, 'keys', 'trusted', `${key.fingerprint}.pem`);
    put(file, writePublicKey(other));
    expect(() => trustKey(user, key)).toThrow(refusal('invalid_argument', 'Another key'));
    expect(existsSync(file)).toBe(true);
  });
});
