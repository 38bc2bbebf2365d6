import { ITEM_KINDS, type ItemKind } from '../core/item.ts';
import type { Spaces } from '../items/spaces.ts';
import { describeFailure } from '../core/errors.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { plural } from './format.ts';
import type { CliIo } from './io.ts';
import { listedJson, type UnlistedFile, unlistedJson } from './item-json.ts';
import { openPlaces } from './item-places.ts';
import { openItemServices } from './item-services.ts';
import { type ItemView, type LocatedItem, refusalOf, viewItem } from './item-view.ts';
import { toLocated } from './locate-item.ts';
import { COMMON } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { readWanted, type Wanted, WHICH_ITEMS } from './which-items.ts';

/** `skein item list`: every item of the spaces, with what is wrong with it. Fails for none of them. */
export const itemList: Command = defineCommand({
  name: 'item list',
  takes: '',
  summary: 'every item of the spaces, and what is wrong with it',
  options: { ...WHICH_ITEMS, ...COMMON },
  examples: [['skein item list --kind tool --space project', 'the tools of this project']],
  run({ values, positionals }, io) {
    noPositionals('item list', positionals);
    const wanted = readWanted(values);
    const places = openPlaces(values.project, io);
    const services = openItemServices(places, io);
    try {
      const located = locateAll(wanted, services.spaces);
      const views = located.map((item) => viewItem(item, { ...services, policy: places.config.agent.trust }));
      const unlisted = findUnlisted(wanted, services.spaces);
      if (values.json === true) {
        io.stdout.write(`${printableJson([...views.map(listedJson), ...unlisted.map(unlistedJson)])}\n`);
      } else printList(views, unlisted, io);
      return EXIT.completed;
    } finally {
      services.close();
    }
  },
});

/** What lies where items are looked for, and is none. */
function findUnlisted({ kind, space }: Wanted, spaces: Spaces): readonly UnlistedFile[] {
  const kinds = kind === undefined ? ITEM_KINDS : [kind];
  return kinds
    .flatMap((each) => spaces.leftOut(each).map((leftOut) => ({ kind: each, ...leftOut })))
    .filter((file) => space === undefined || file.space === space);
}

function locateAll({ kind, space }: Wanted, spaces: Spaces): readonly LocatedItem[] {
  const kinds = kind === undefined ? ITEM_KINDS : [kind];
  return kinds
    .flatMap((each) => locateKind(each, spaces))
    .filter((item) => space === undefined || item.space === space);
}

/** The items of a kind by id, each with those it shadows. */
function locateKind(kind: ItemKind, spaces: Spaces): readonly LocatedItem[] {
  const byId = Map.groupBy(spaces.entries(kind), ({ id }) => id);
  return [...byId.values()]
    .toSorted(([one], [other]) => ((one?.id ?? '') < (other?.id ?? '') ? -1 : 1))
    .flatMap((entries) => {
      const places = entries.map(({ id, space, file }) => ({ id, name: space, file }));
      return places.map((place) => toLocated({ kind, id: place.id, place }, places, spaces));
    });
}

/** Files that are no items of which a line is printed. */
const MAX_UNLISTED = 20;

/** One line for each item on stdout; what is not listed, and what they come to, on stderr. */
function printList(views: readonly ItemView[], unlisted: readonly UnlistedFile[], io: CliIo): void {
  const { stdout, stderr } = io;
  for (const view of views) {
    const { signature, space, kind, id } = view;
    const item = [signature.state.padEnd(11), space.padEnd(7), kind.padEnd(9), id].join('  ');
    stdout.write(`${printable([item, ...marksOf(view)].join('  '))}\n`);
  }
  const shadowed = views.filter(({ shadowedBy }) => shadowedBy !== undefined).length;
  const refused = views.filter((view) => refusalOf(view) !== undefined).length;
  const items = `${views.length} ${views.length === 1 ? 'item' : 'items'}`;
  for (const { file, reason } of unlisted.slice(0, MAX_UNLISTED)) {
    stderr.write(`not listed: ${printable(file)}: ${printable(reason)}\n`);
  }
  const more = unlisted.length - MAX_UNLISTED;
  if (more > 0) stderr.write(`not listed: ${more} more (--json has all)\n`);
  const left = unlisted.length === 0 ? '' : `; ${unlisted.length} not listed`;
  stderr.write(`${items}, ${shadowed || 'none'} shadowed, ${refused || 'none'} refused${left}\n`);
}

function marksOf(view: ItemView): readonly string[] {
  const { shadowedBy, warnings, content } = view;
  const refusal = refusalOf(view);
  const isHelper = 'parsed' in content && !content.parsed.declared;
  return [
    ...(shadowedBy === undefined ? [] : [`[shadowed by ${shadowedBy}]`]),
    ...(refusal === undefined ? [] : [`[REFUSED: ${describeFailure(refusal)}]`]),
    ...(isHelper ? ['[no tool: it states no contract]'] : []),
    ...(warnings.length === 0 ? [] : [`[${plural(warnings.length, 'warning')}]`]),
  ];
}
