import { expect, test } from 'vitest';
import { optionsAgain, type GivenHere } from './options-again.ts';

test.each<[string, GivenHere, string, string]>([
  ['nothing in the project itself', { project: '/here' }, '', ''],
  ['its folder elsewhere', { project: '/other/one' }, ' --project /other/one', ' --project /other/one'],
  ['a folder as a shell reads it', { project: "/it's $HOME" }, ...twice(String.raw` --project '/it'\''s $HOME'`)],
  ['nothing that acts on a terminal', { project: '/a\u001b[2J' }, ...twice(String.raw` --project '/a\x1b[2J'`)],
  [
    'the scripts of its model',
    { project: '/here', scriptFiles: ['a=b.yaml', 'c=d e'] },
    '',
    " --script a=b.yaml --script 'c=d e'",
  ],
])('What a command has to be told again: %s', (_, given, look, act) => {
  expect(optionsAgain(given, '/here')).toEqual({ look, act });
});

function twice(text: string): [string, string] {
  return [text, text];
}
