import { h } from 'preact';
import { describe, expect, test } from 'vitest';
import type { BudgetNode, ThreadAnswer } from '../../../api.ts';
import { draw } from '../../fixtures/drawn.ts';
import { threadRow } from '../../fixtures/thread-row.ts';
import { BudgetTab } from './budget-tab.tsx';

/** The tab of a thread with this account. */
function account(amounts: Pick<BudgetNode, 'max' | 'spent' | 'reserved' | 'remaining'>) {
  const answer: ThreadAnswer = {
    thread: threadRow('t'),
    ancestors: [],
    budget: [{ id: 't', directive: 'demo', status: 'active', ...amounts }],
    limits: null,
    inputs: {},
    machine: { state: 'completed', as_of: 'log' },
    chain: [],
    approval: null,
    ending: null,
  };
  const drawn = draw(h(BudgetTab, { answer }), () => undefined);
  const parts = drawn.find('account-bar').flatMap(({ childNodes }) => childNodes);
  return { text: drawn.text(), grown: parts.map(({ style }) => Number(style['flexGrow'])) };
}

describe('An account', () => {
  test.each([
    [{ max: 0.05, spent: 0.01, reserved: 0.0125, remaining: 0.0275 }, [0.2, 0.25, 0.55]],
    [{ max: 40, spent: 10, reserved: 0, remaining: 30 }, [0.25, 0, 0.75]],
    [{ max: 1, spent: 1.5, reserved: 0.5, remaining: -1 }, [0.75, 0.25, 0]],
    [{ max: 0, spent: 0, reserved: 0, remaining: 0 }, [0, 0, 0]],
  ])('fills its bar, however little money it is: %j', (amounts, shares) => {
    const { grown } = account(amounts);
    expect(grown).toHaveLength(shares.length);
    for (const [at, share] of shares.entries()) expect(grown[at]).toBeCloseTo(share);
  });

  test.each([
    // 0.1 + 0.2 is more than 0.3.
    [{ max: 0.3, spent: 0.1, reserved: 0.2, remaining: 0 }, undefined],
    [{ max: 0.3, spent: 0.1, reserved: 0.3, remaining: -0.1 }, '$0.10 over its maximum'],
  ])('says what it is over its maximum, and nothing where it is not: %j', (amounts, said) => {
    expect(/\$[\d.]+ over its maximum/.exec(account(amounts).text)?.[0]).toBe(said);
  });
});
