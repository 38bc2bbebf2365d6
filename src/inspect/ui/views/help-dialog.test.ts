import { h } from 'preact';
import { expect, test } from 'vitest';
import { happen } from '../fixtures/bare-node.ts';
import { draw } from '../fixtures/drawn.ts';
import { HelpDialog } from './help-dialog.tsx';

test('Keys of one character are switched off where all keys are listed', () => {
  const switched: boolean[] = [];
  const props = { keys: true, onKeys: (on: boolean) => switched.push(on), onClose: () => undefined };
  const drawn = draw(h(HelpDialog, props), () => undefined);
  const [box] = drawn.find('input');
  happen(box, 'change', { currentTarget: { checked: false } });
  expect(switched).toEqual([false]);
});
