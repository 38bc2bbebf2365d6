import * as z from 'zod';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section } from './section.ts';
import { checkTable, tableSection, type TableSchema } from './tables.ts';

/** The endings at which a reservation is given back whatever the file says: none outlives its thread. */
const ENDINGS = ['completed', 'cancelled', 'error'] as const;

const ledgerSchema = section({
  schema_version: schemaVersion,
  table: tableSection,
  operations: section({
    release: section({
      on_status: z
        .array(z.enum([...ENDINGS, 'suspended']))
        .refine((statuses) => ENDINGS.every((status) => statuses.includes(status)), {
          error: `must contain ${ENDINGS.join(', ')}: no reservation outlives its thread; "suspended" may be added`,
        })
        .readonly(),
    }),
  }),
});

/** The settings of the budget ledger (S2 §4.5). */
export type BudgetConfig = {
  /** A suspended thread's unspent reservation goes back to its parent until it is resumed. */
  readonly releaseSuspended: boolean;
};

/** Parses `budget_ledger_schema.yaml`: the ledger's table, and when a reservation is given back. */
export function parseLedger(document: Document, file: string): BudgetConfig & { readonly table: TableSchema } {
  const { table, operations } = parseSection(ledgerSchema, document, file);
  return { table: checkTable(table, file), releaseSuspended: operations.release.onStatus.includes('suspended') };
}
