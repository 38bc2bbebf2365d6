import { SkeinError } from '../index.ts';
import { createItemVerifier, formsOf } from '../items/signature/item-verifier.ts';
import { type VerifiedItem, verifyItems } from '../items/signature/verify-items.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { openItems, openPlaces, openTrust } from './item-places.ts';
import { COMMON } from './options.ts';
import { printable, printableJson } from './printable.ts';
import { SIGNATURES } from './sign-command.ts';
import { readWanted, WHICH_ITEMS } from './which-items.ts';

/** `skein verify [ID…]`: how items stand with their signatures. Fails if the trust policy refuses one of them. */
export const verifyCommand: Command = defineCommand({
  name: 'verify',
  takes: '[ID...]',
  summary: 'how items stand with their signatures; all of them without an id',
  options: { ...WHICH_ITEMS, ...COMMON },
  examples: [['skein verify --space project', 'every item of the project; exit 1 if one is refused']],
  notes: SIGNATURES,
  run({ values, positionals: ids }, io) {
    const wanted = readWanted(values);
    const places = openPlaces(values.project, io);
    const { agent, extractors } = places.config;
    const items = verifyItems(
      { ...wanted, ids: ids.length === 0 ? undefined : ids },
      {
        spaces: openItems(places).spaces,
        verify: createItemVerifier(openTrust(places, io), formsOf(extractors)),
        policy: agent.trust,
      },
    );
    refuseMissing(ids, items);
    if (values.json === true) io.stdout.write(`${printableJson(items.map(toJson))}\n`);
    else print(items, io);
    return items.some(({ refused }) => refused) ? EXIT.failed : EXIT.completed;
  },
});

function refuseMissing(ids: readonly string[], items: readonly VerifiedItem[]): void {
  const missing = ids.find((id) => items.every((item) => item.id !== id));
  if (missing === undefined) return;
  throw new SkeinError('item_not_found', `There is no item ${JSON.stringify(missing)} where it was looked for`);
}

function toJson({ kind, id, space, file, signature, refused, remark }: VerifiedItem): object {
  const by = 'key' in signature ? { key: signature.key, signed_at: signature.signedAt } : {};
  const fault = signature.state === 'wrong' ? { reason: signature.reason, line: signature.line } : {};
  return { kind, id, space, file, state: signature.state, ...by, ...fault, refused, remark };
}

function print(items: readonly VerifiedItem[], { stdout, stderr }: CliIo): void {
  for (const { kind, id, space, file, signature, refused, remark } of items) {
    const item = [signature.state.padEnd(11), space.padEnd(7), kind.padEnd(9), id].join('  ');
    const by = 'key' in signature ? `key ${signature.key}, ${signature.signedAt}` : '';
    stdout.write(
      `${printable(`${item}  ${refused ? `REFUSED: ${remark ?? ''} (${file})` : (remark ?? by)}`.trimEnd())}\n`,
    );
  }
  const refused = items.filter((item) => item.refused).length;
  stderr.write(
    `${items.length} ${items.length === 1 ? 'item' : 'items'}, ${refused === 0 ? 'none' : refused} refused\n`,
  );
}
