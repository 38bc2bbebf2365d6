import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../src/items/signature/fingerprint.ts';
import { trustKey } from '../../src/items/signature/trust-key.ts';
import { scratchFolder } from '../conformance/store-fixture.ts';
import { runWriter } from './run-writer.ts';

test.skipIf(process.platform !== 'linux')(
  'what could not be loaded or read without file handles is there once there are some',
  async () => {
    using scratch = scratchFolder();
    const { publicKey: key } = generateKeyPairSync('ed25519');
    const { file } = trustKey(scratch.folder, { fingerprint: fingerprintOf(key), key });
    const { text, code } = await runWriter({
      path: file,
      program: new URL('no-handles-once.ts', import.meta.url),
      under: ['prlimit', '--nofile=128:128'],
    });
    const there = Array.from({ length: 4 }, () => 'ECONNREFUSED').join(' ');
    expect({ text, code }).toEqual({ text: expect.stringMatching(`^(?:[A-Z_]+ ){4}0\n${there} 1\n2 1\n$`), code: 0 });
    expect(text.match(/ECONNREFUSED/g)).toHaveLength(4);
  },
);
