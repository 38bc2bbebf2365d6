import { expect, test } from 'vitest';
import { grantOrder } from './approvals-arguments.ts';
import { grantLine } from './approvals-text.ts';

test.each<[limitCode: string, suggested: number, ending: string]>([
  ['spend_exceeded', 4.5e-7, '--spend 0.00000045'],
  ['spend_exceeded', 1e-9, '--spend 0.000000001'],
  ['spend_exceeded', 0.21, '--spend 0.21'],
  ['spend_exceeded', 9_007_199.254740991, '--spend 9007199.254740991'],
  ['turns_exceeded', 100, '--turns 100'],
  ['tokens_exceeded', 1_000_000, '--tokens 1000000'],
])('The command for %s that suggests %d can be given', (limitCode, suggested, ending) => {
  const asked = { approval_id: 'approval-1', thread_id: 'thread-1', limit_code: limitCode, suggested };
  const line = grantLine(asked);
  expect(line).toBe(`skein approvals grant approval-1 ${ending}`);
  const [option = '', value = ''] = ending.slice(2).split(' ');
  const order = grantOrder({ values: { [option]: value }, positionals: ['approval-1'] }, { cwd: '/', user: 'ann' });
  expect(order.answer.input).toMatchObject({ limits: { [option]: suggested } });
});
