import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../config/config.ts';

/** Settings that are built into what is running already, and how a later configuration gets the earlier ones. */
const FIXED: readonly (readonly [
  name: string,
  of: (config: Config) => unknown,
  keep: (after: Config, before: Config) => Config,
])[] = [
  ['the storage schemas', ({ tables }) => tables, (after, { tables }) => ({ ...after, tables })],
  ['budget_ledger_schema.yaml operations', ({ budget }) => budget, (after, { budget }) => ({ ...after, budget })],
  [
    'resilience.yaml cleanup',
    ({ resilience }) => resilience.cleanup,
    (after, { resilience: { cleanup } }) => ({ ...after, resilience: { ...after.resilience, cleanup } }),
  ],
  [
    'resilience.yaml checkpoint.persistence',
    ({ resilience }) => resilience.checkpoint.persistence,
    (after, { resilience: { checkpoint } }) => {
      const { persistence } = checkpoint;
      return {
        ...after,
        resilience: { ...after.resilience, checkpoint: { ...after.resilience.checkpoint, persistence } },
      };
    },
  ],
];

/** A configuration with the settings of the one before that can't be exchanged at run time, and their names. */
export function keepFixed(
  after: Config,
  before: Config,
): { readonly config: Config; readonly kept: readonly string[] } {
  const different = FIXED.filter(([, of]) => !isDeepStrictEqual(of(after), of(before)));
  const config = different.reduce((kept, [, , keep]) => keep(kept, before), after);
  return { config, kept: different.map(([name]) => name) };
}
