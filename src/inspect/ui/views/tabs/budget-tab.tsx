import type { VNode } from 'preact';
import type { BudgetNode, ThreadAnswer } from '../../../api.ts';
import { formatUsd, shortId } from '../../model/format-values.ts';
import { routeHref } from '../../model/route.ts';

/** What a thread and everybody above it may spend: reserved, spent, remaining, as a tree. */
export function BudgetTab({ answer }: { readonly answer: ThreadAnswer }): VNode {
  const { budget, limits } = answer;
  return (
    <section class="budget">
      <p class="budget-key" aria-hidden="true">
        <span class="key key-spent" /> spent <span class="key key-reserved" /> reserved{' '}
        <span class="key key-remaining" /> remaining
      </p>
      <ul class="budget-tree">
        {budget.map((node, depth) => (
          <Account key={node.id} node={node} depth={depth} isLast={depth === budget.length - 1} />
        ))}
      </ul>
      {budget.length === 0 && <p class="quiet">It has no account.</p>}
      {limits && (
        <>
          <h2>Limits</h2>
          <dl class="facts">
            {Object.entries(limits).map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll('_', ' ')}</dt>
                <dd class="number">{name === 'spend' ? formatUsd(value) : value.toLocaleString('en-US')}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

type AccountProps = { readonly node: BudgetNode; readonly depth: number; readonly isLast: boolean };

function Account({ node, depth, isLast }: AccountProps): VNode {
  const { id, directive, max, reserved, spent, remaining, status } = node;
  const over = Math.max(0, -remaining);
  const whole = spent + reserved + Math.max(0, remaining);
  return (
    <li class="account" style={{ '--depth': String(Math.min(8, depth)) }}>
      <p class="account-head">
        {isLast ? (
          <strong>{directive}</strong>
        ) : (
          <a href={routeHref({ view: 'thread', id, tab: 'budget' })}>{directive}</a>
        )}{' '}
        <span class="id">{shortId(id)}</span>
        <span class="quiet">{status}</span>
        <span class="number account-max">{formatUsd(max)}</span>
      </p>
      <div class="account-bar" aria-hidden="true">
        <span class="key-spent" style={partOf(whole, spent)} />
        <span class="key-reserved" style={partOf(whole, reserved)} />
        <span class="key-remaining" style={partOf(whole, remaining)} />
      </div>
      <dl class="account-facts">
        <Amount name="spent" usd={spent} />
        <Amount name="reserved" usd={reserved} />
        <Amount name="remaining" usd={remaining} />
        {over > 0 && <Amount name="over its maximum" usd={over} />}
      </dl>
    </li>
  );
}

/** How much of a bar something is. Grown by less than 1 all in all, its parts would not fill it. */
function partOf(whole: number, part: number): { readonly flexGrow: string } {
  return { flexGrow: String(whole > 0 ? Math.max(0, part) / whole : 0) };
}

function Amount({ name, usd }: { readonly name: string; readonly usd: number }): VNode {
  return (
    <div>
      <dd class="number">{formatUsd(usd)}</dd> <dt>{name}</dt>
    </div>
  );
}
