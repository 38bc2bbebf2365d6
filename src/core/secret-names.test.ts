import { expect, test } from 'vitest';
import { hasSecretWord, isSecretName } from './secret-names.ts';

test.each([
  ['api_key', true, true],
  ['OPENAI_API_KEY', true, true],
  ['private-key', true, true],
  ['DB_PASSWD', true, true],
  ['passphrase', true, true],
  ['session-cookie', true, true],
  ['Authorization', true, true],
  ['api_key_env', false, true],
  ['max_tokens', false, true],
  ['accessToken', false, true],
  ['author', false, false],
  ['Monkey', false, false],
  ['question', false, false],
])('%s: is the name of a secret %s, has a word of one %s', (name, isName, hasWord) => {
  expect([isSecretName(name), hasSecretWord(name)]).toEqual([isName, hasWord]);
});
