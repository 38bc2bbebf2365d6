import { SkeinError } from '../index.ts';
import { ITEM_KINDS } from '../core/item.ts';
import { formsOf } from '../items/signature/item-verifier.ts';
import { loadSigner } from '../items/signature/private-key.ts';
import { type ItemReference, signItem } from '../items/signature/sign-item.ts';
import type { Spaces } from '../items/spaces.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { openItems, openPlaces, userSpaceOf } from './item-places.ts';
import { COMMON_LINES } from './options.ts';
import { printable, printableJson } from './printable.ts';
import { readWanted, type Wanted, WHICH_ITEMS } from './which-items.ts';

/** What signatures are for. */
export const SIGNATURES =
  'A signature covers the whole file; any later change makes it wrong, and a wrong one is always refused. trust in\n' +
  'agent.yaml says what becomes of items without one.';

/** `skein sign ID…`: checks items against the schema of their kind and signs them with the user's key. */
export const signCommand: Command = defineCommand({
  name: 'sign',
  takes: 'ID...',
  summary: 'check items against the schema of their kind, and sign their files with your key',
  options: { ...WHICH_ITEMS, ...COMMON_LINES },
  examples: [['skein sign hello ops/longest-line', 'sign two items']],
  notes: SIGNATURES,
  run({ values, positionals: ids }, io) {
    if (ids.length === 0) throw new SkeinError('invalid_argument', 'sign takes the ids of the items to sign');
    const wanted = readWanted(values);
    const places = openPlaces(values.project, io);
    const { spaces, validate } = openItems(places);
    // All are found before the first is changed.
    const references = ids.map((id) => findReference(spaces, { ...wanted, id }));
    const options = {
      spaces,
      validate,
      formOf: formsOf(places.config.extractors),
      signer: loadSigner(userSpaceOf(io)),
      atIso: () => new Date().toISOString(),
    };
    for (const [index, reference] of references.entries()) {
      const signed = signNext(reference, { options, io, left: references.slice(index + 1) });
      const { kind, id, space, key } = signed;
      if (values.json) io.stdout.write(`${printableJson({ kind, id, space, key })}\n`);
      else io.stdout.write(`${printable(`signed  ${space}  ${kind}  ${id}  key ${key}`)}\n`);
    }
    return EXIT.completed;
  },
});

type Signing = {
  readonly options: Parameters<typeof signItem>[1];
  readonly io: CliIo;
  /** What comes after this item. */
  readonly left: readonly ItemReference[];
};

/** Signs an item; if it can't be signed, says which others were not tried. */
function signNext(reference: ItemReference, { options, io, left }: Signing): ReturnType<typeof signItem> {
  try {
    return signItem(reference, options);
  } catch (thrown) {
    const ids = left.map(({ id }) => id).join(', ');
    if (ids !== '') io.stderr.write(`${printable(`not tried: ${ids}`)}\n`);
    throw thrown;
  }
}

function findReference(spaces: Spaces, { id, kind, space }: Wanted & { readonly id: string }): ItemReference {
  const kinds = kind === undefined ? ITEM_KINDS : [kind];
  const [found, ...more] = kinds.filter((each) => spaces.find(each, id, space) !== undefined);
  if (found === undefined) {
    throw new SkeinError(
      'item_not_found',
      `There is no ${kind ?? 'item'} ${JSON.stringify(id)} in ${space ?? 'any space'}`,
    );
  }
  if (more.length === 0) return { kind: found, id, space };
  const named = [found, ...more].join(' and a ');
  throw new SkeinError('invalid_argument', `${JSON.stringify(id)} is a ${named}; say with --kind which is meant`);
}
