import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
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
import { writeBelow } from '../../../test/fixtures/write-below.ts';
import { SkeinError } from '../../core/errors.ts';
import type { ItemKind, SpaceName } from '../../core/item.ts';
import { everywhere, shippedExtractors, shippedRouter } from '../fixtures/parse-text.ts';
import { createSpaces, type ReadItem, type Spaces } from '../spaces.ts';
import { createItemVerifier, formsOf, type FormOf } from './item-verifier.ts';
import { initKey, loadSigner } from './private-key.ts';
import { signItem, type SignItemOptions } from './sign-item.ts';
import { createSigner } from './signer.ts';
import { createTrustStore } from './trust-store.ts';
import { createItemValidator } from './validate-item.ts';
import { type VerifiedItem, verifyItems } from './verify-items.ts';

let root: string;
let spaces: Spaces;
let options: SignItemOptions;

const formOf: FormOf = ({ extension }) => (extension === '.md' ? 'html' : extension === '.py' ? '#' : '//');
const HELLO = '# Hello\n\n```xml\n<directive name="hello"/>\n```\n\nSay hello.\n';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-sign-'));
  initKey(join(root, 'user'));
  const places = {
    projectPath: join(root, 'project'),
    userSpace: join(root, 'user'),
    systemSpace: join(root, 'config', 'space'),
  };
  spaces = createSpaces(places, { extensionsOf: (kind) => (kind === 'tool' ? ['.py', '.js'] : ['.md']) });
  options = {
    spaces,
    formOf,
    signer: loadSigner(join(root, 'user')),
    atIso: () => '2026-11-22T10:11:12.345Z',
    validate: () => [],
  };
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, content: string | Uint8Array): string => {
  return writeBelow(root, path, content);
};
const verify = (kind?: ItemKind, ids?: readonly string[], space?: SpaceName): readonly VerifiedItem[] => {
  const trust = createTrustStore({
    userSpace: join(root, 'user'),
    projectPath: join(root, 'project'),
    systemDir: join(root, 'config'),
    projectVouches: true,
    now: () => 0,
  });
  const policy = { project: 'warn', user: 'off', system: 'strict' } as const;
  return verifyItems({ kind, ids, space }, { spaces, policy, verify: createItemVerifier(trust, formOf) });
};
const stateOf = (kind: ItemKind, id: string): string => verify(kind, [id])[0]?.signature.state ?? 'missing';
const refusal = (code: string, message: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe('an item on disk', () => {
  test('is signed, one byte of its body changed, and then wrong', () => {
    const file = put('project/.ai/directives/demo/hello.md', HELLO);
    chmodSync(file, 0o666);
    expect(stateOf('directive', 'demo/hello')).toBe('unsigned');
    expect(signItem({ kind: 'directive', id: 'demo/hello' }, options)).toEqual({
      kind: 'directive',
      id: 'demo/hello',
      space: 'project',
      file,
      key: options.signer.fingerprint,
    });
    expect(verify('directive', ['demo/hello'])).toEqual([
      {
        kind: 'directive',
        id: 'demo/hello',
        space: 'project',
        file,
        signature: { state: 'trusted', key: options.signer.fingerprint, signedAt: '2026-11-22T10:11:12Z' },
        refused: false,
        remark: undefined,
      },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o666);
    expect(readdirSync(dirname(file))).toEqual(['hello.md']);
    const bytes = readFileSync(file);
    bytes[bytes.lastIndexOf('h')] = 'j'.charCodeAt(0);
    writeFileSync(file, bytes);
    expect(stateOf('directive', 'demo/hello')).toBe('wrong');
  });

  test('loses its state with its signature line, and gets it back when it is signed again', () => {
    const file = put('project/.ai/directives/hello.md', HELLO);
    signItem({ kind: 'directive', id: 'hello' }, options);
    const signed = readFileSync(file, 'utf8');
    writeFileSync(file, signed.slice(signed.indexOf('\n') + 1));
    expect(stateOf('directive', 'hello')).toBe('unsigned');
    signItem({ kind: 'directive', id: 'hello' }, options);
    expect(readFileSync(file, 'utf8')).toBe(signed);
  });

  test('keeps its byte order mark, which is covered', () => {
    const file = put('user/tools/t.py', '\uFEFFx = 1\n');
    signItem({ kind: 'tool', id: 't' }, options);
    expect(stateOf('tool', 't')).toBe('trusted');
    const signed = readFileSync(file, 'utf8');
    expect(signed).toMatch(/^\uFEFF# rye:signed:.*\nx = 1\n$/);
    writeFileSync(file, signed.slice(1));
    expect(stateOf('tool', 't')).toBe('wrong');
  });

  test('of another key is of an unknown key until that key is trusted', () => {
    const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
    put('project/.ai/knowledge/k.md', 'text');
    signItem({ kind: 'knowledge', id: 'k' }, { ...options, signer });
    expect(stateOf('knowledge', 'k')).toBe('unknown_key');
  });
});

describe('signing', () => {
  test('takes the item of the space that is asked for', () => {
    const [first, second] = [put('project/.ai/knowledge/k.md', 'a'), put('user/knowledge/k.md', 'b')];
    expect(signItem({ kind: 'knowledge', id: 'k', space: 'user' }, options).file).toBe(second);
    expect(readFileSync(first, 'utf8')).toBe('a');
  });

  test('refuses what does not meet its schema, and changes nothing', () => {
    const file = put('project/.ai/directives/hello.md', HELLO);
    const validate = (): string[] => ['version: is missing', 'limits: is no map'];
    expect(() => signItem({ kind: 'directive', id: 'hello' }, { ...options, validate })).toThrow(
      expect.objectContaining({
        code: 'invalid_item',
        message: expect.stringContaining('version: is missing; limits: is no map'),
        detail: { problems: validate() },
        where: { file },
      }),
    );
    expect(readFileSync(file, 'utf8')).toBe(HELLO);
  });

  test('refuses the system space', () => {
    const file = put('config/space/knowledge/k.md', 'text');
    expect(() => signItem({ kind: 'knowledge', id: 'k' }, options)).toThrow(refusal('permission_denied', 'package'));
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  test('refuses what leads out of its space', () => {
    const outside = put('outside.md', 'text');
    put('project/.ai/knowledge/x.md', '');
    symlinkSync(outside, join(root, 'project/.ai/knowledge/k.md'));
    for (const id of ['k', '../../outside', '/etc/passwd']) {
      expect(() => signItem({ kind: 'knowledge', id }, options)).toThrow(refusal('item_id_refused', ''));
    }
    expect(readFileSync(outside, 'utf8')).toBe('text');
  });

  test('refuses a file that changes meanwhile', () => {
    const file = put('project/.ai/knowledge/k.md', 'one');
    const validate = (): string[] => {
      writeFileSync(file, 'another');
      return [];
    };
    expect(() => signItem({ kind: 'knowledge', id: 'k' }, { ...options, validate })).toThrow(
      refusal('invalid_item', 'changed while it was signed'),
    );
    expect(readFileSync(file, 'utf8')).toBe('another');
    expect(readdirSync(dirname(file))).toEqual(['k.md']);
  });

  test('says of a file that can not be written that it can not, and which one it is', () => {
    const file = put('project/.ai/knowledge/k.md', 'one');
    const validate = (): string[] => {
      rmSync(dirname(file), { recursive: true, force: true });
      return [];
    };
    const message = 'The knowledge "k" can\'t be signed (ENOENT)';
    expect(() => signItem({ kind: 'knowledge', id: 'k' }, { ...options, validate })).toThrow(
      expect.objectContaining({ code: 'project_unwritable', message, where: { file } }),
    );
  });

  test('refuses what would be too large to be read with a signature', () => {
    const file = put('project/.ai/knowledge/k.md', 'x'.repeat(1024 * 1024 - 100));
    expect(() => signItem({ kind: 'knowledge', id: 'k' }, options)).toThrow(refusal('item_too_large', 'signature'));
    expect(statSync(file).size).toBe(1024 * 1024 - 100);
  });

  test.each([
    ['.json', 'invalid_item', `{"tool_type":"x","version":"1","description":"d","list":[${'0,'.repeat(39_993)}0]}`],
    ['.yaml', 'item_too_large', `tool_type: x\nversion: "1"\ndescription: ${'d'.repeat(256 * 1024 - 60)}\n`],
  ])('refuses a %s file that could not be read with a signature, and changes nothing', (extension, code, text) => {
    const file = put(`project/.ai/tools/t${extension}`, text);
    const shipped = everywhere(shippedExtractors);
    const own: SignItemOptions = {
      ...options,
      spaces: createSpaces({ projectPath: join(root, 'project') }, shippedRouter),
      formOf: formsOf(shipped),
      validate: createItemValidator(shippedRouter, shipped),
    };
    expect(own.validate(own.spaces.read('tool', 't'))).toEqual([]);
    expect(() => signItem({ kind: 'tool', id: 't' }, own)).toThrow(refusal(code, 'with a signature'));
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('refuses what does not meet its schema with a signature, and says where it could not be read', () => {
    const file = put('project/.ai/knowledge/k.md', 'text');
    const isSigned = ({ raw }: ReadItem): boolean => raw.includes('rye:signed:');
    const sign = (validate: SignItemOptions['validate']) => () =>
      signItem({ kind: 'knowledge', id: 'k' }, { ...options, validate });
    expect(sign((item) => (isSigned(item) ? ['title: is too long'] : []))).toThrow(
      expect.objectContaining({
        code: 'invalid_item',
        message: expect.stringContaining('with a signature it is not as it should be: title: is too long'),
        detail: { problems: ['title: is too long'] },
        where: { file },
      }),
    );
    const unreadable = (item: ReadItem): string[] => {
      if (isSigned(item)) throw new SkeinError('invalid_item', 'too deep', { where: { file: 'k', line: 7 } });
      return [];
    };
    expect(sign(unreadable)).toThrow(expect.objectContaining({ where: { file, line: 7 } }));
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  test('says where a signature stands that it can not replace', () => {
    const file = put('project/.ai/knowledge/k.md', 'text\n<!-- rye:signed:\n-->\n');
    const where = { file, line: 2 };
    expect(() => signItem({ kind: 'knowledge', id: 'k' }, options)).toThrow(expect.objectContaining({ where }));
  });
});

describe('verifying all items', () => {
  test('lists every file of every space, shadowed and unreadable ones too', () => {
    put('project/.ai/knowledge/k.md', 'a');
    put('user/knowledge/k.md', 'b');
    put('config/space/knowledge/k.md', '<!-- rye:signed:t -->\n');
    put('project/.ai/tools/t.py', new Uint8Array([0xff]));
    signItem({ kind: 'knowledge', id: 'k' }, options);
    put('project/.ai/knowledge/l.md', 'c');
    put('config/space/knowledge/m.md', 'd');
    const states = verify().map(({ kind, id, space, signature, refused }) => [
      kind,
      id,
      space,
      signature.state,
      refused,
    ]);
    expect(states).toEqual([
      ['tool', 't', 'project', 'unreadable', true],
      ['knowledge', 'k', 'project', 'trusted', false],
      ['knowledge', 'k', 'user', 'unsigned', false],
      ['knowledge', 'k', 'system', 'wrong', true],
      ['knowledge', 'l', 'project', 'unsigned', false],
      ['knowledge', 'm', 'system', 'unsigned', true],
    ]);
    expect(verify('knowledge', ['l'])[0]?.remark).toContain('is not signed');
    expect(verify(undefined, undefined, 'user')).toHaveLength(1);
    expect(verify('directive')).toEqual([]);
  });

  test('finds nothing under an id that is not there, and refuses one that can not be', () => {
    expect(verify(undefined, ['nothing'])).toEqual([]);
    expect(() => verify(undefined, ['../x'])).toThrow(refusal('item_id_refused', ''));
  });
});
