import { h } from 'preact';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApprovalRow } from '../../api.ts';
import { happen, type BareNode } from '../fixtures/bare-node.ts';
import { draw } from '../fixtures/drawn.ts';
import { ApprovalCard } from './approval-card.tsx';

const APPROVAL: ApprovalRow = {
  approval_id: 'a',
  thread_id: 't',
  directive: 'demo',
  status: 'pending',
  reason: 'approval',
  asked_by: 'hook',
  message: '',
  requested_at_ms: 1,
};

test('A question about a tool call shows the call', () => {
  const approval = { ...APPROVAL, call: 'app/echo {"text":"a"}' };
  expect(draw(h(ApprovalCard, { approval }), () => undefined).text()).toContain('app/echo {"text":"a"}');
});

// What the form asks of its browser.
beforeEach(() => {
  const isButton = ({ localName }: BareNode): boolean => localName === 'button';
  vi.stubGlobal('HTMLButtonElement', { [Symbol.hasInstance]: isButton, prototype: {} });
  vi.stubGlobal('FormData', Map);
});
afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['stay so once it is answered', { ...APPROVAL, status: 'granted' }, true],
  ['can be pressed again if that has failed', undefined, false],
])('The buttons of a question can’t be pressed while it is being answered, and %s', async (_, answer, isOff) => {
  const answered = Promise.withResolvers<object | undefined>();
  const drawn = draw(h(ApprovalCard, { approval: APPROVAL }), () => answered.promise);
  const off = (): boolean[] => drawn.find('button').map(({ attributes }) => attributes.has('disabled'));
  expect(off()).toEqual([false, false]);
  const [submitter] = drawn.find('button').map((button) => Object.assign(button, { value: 'grant' }));
  happen(drawn.find('form')[0], 'submit', { submitter, currentTarget: [] });
  await expect.poll(off).toEqual([true, true]);
  expect(drawn.asked).toEqual(['approvals/a/grant']);
  answered.resolve(answer);
  await expect.poll(() => drawn.dashboard.store.get().notice).toBeDefined();
  await expect.poll(off).toEqual([isOff, isOff]);
});
