import { join, resolve } from 'node:path';
import { SYSTEM_DIR } from '../config/default-places.ts';
import { projectSpaceOf } from '../config/project-space.ts';
import { describeFailure, type Failure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import { SkeinError } from '../index.ts';
import { isChainLink } from '../items/chain-link.ts';
import type { ItemServices } from '../tools/item-services.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { type ChainView, viewChain } from './item-chain.ts';
import { describeItem } from './item-facts.ts';
import { shownJson } from './item-json.ts';
import { type ItemPlaces, openPlaces } from './item-places.ts';
import { openItemServices } from './item-services.ts';
import { type ItemView, type LocatedItem, refusalOf, viewItem } from './item-view.ts';
import { isPath, locateFile } from './locate-file.ts';
import { locateById } from './locate-item.ts';
import { COMMON } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { readWanted, type Wanted, WHICH_ITEMS } from './which-items.ts';

/** `skein item show ID|FILE`: what was read of an item. Fails if it is refused, saying where and why. */
export const itemShow: Command = defineCommand({
  name: 'item show',
  takes: 'ID|FILE',
  summary: 'what was read of an item, where it is from, and how a tool is run',
  options: { ...WHICH_ITEMS, ...COMMON },
  examples: [
    ['skein item show rye/file-system/read', 'a tool that ships'],
    ['skein item show .ai/directives/hello.md', 'a file'],
  ],
  run({ values, positionals }, io) {
    const argument = onlyPositional('item show', 'item: an id or a file', positionals);
    const wanted = readWanted(values);
    const places = openPlaces(values.project, io);
    const services = openItemServices(places, io);
    try {
      const located = locate(argument, { wanted, places, services, cwd: io.cwd });
      const shown = located.map((item) => look(item, { places, services, env: io.env }));
      print(shown, { json: values.json ?? false, io });
      return report(shown, io);
    } finally {
      services.close();
    }
  },
});

type Where = { readonly places: ItemPlaces; readonly services: ItemServices };

function locate(
  argument: string,
  { wanted, places, services, cwd }: Where & { readonly wanted: Wanted; readonly cwd: string },
): readonly LocatedItem[] {
  const { spaces, router: types } = services;
  if (!isPath(argument, cwd, types)) return locateById(argument, wanted, spaces);
  if (wanted.space !== undefined) {
    throw new SkeinError('invalid_argument', '--space goes with an id; where a file is tells its space');
  }
  return [locateFile(resolve(cwd, argument), wanted.kind, { roots: rootsOf(places), spaces, types })];
}

/** As the spaces are opened: a project whose space is the user's own has none of its own. */
function rootsOf({ projectPath, userSpace }: ItemPlaces): Parameters<typeof locateFile>[2]['roots'] {
  const projectSpace = projectSpaceOf(projectPath, userSpace);
  const project = projectSpace === undefined ? [] : [{ name: 'project' as const, path: projectSpace }];
  const user = userSpace === undefined ? [] : [{ name: 'user' as const, path: resolve(userSpace) }];
  return [...project, ...user, { name: 'system' as const, path: join(SYSTEM_DIR, 'space') }];
}

type Shown = { readonly view: ItemView; readonly chain: ChainView | Failure | undefined };

function look(item: LocatedItem, { places, services, env }: Where & Pick<CliIo, 'env'>): Shown {
  const { verify, router, items } = services;
  const { config, projectPath } = places;
  const view = viewItem(item, { verify, router, policy: config.agent.trust });
  if ('refusal' in view.content) return { view, chain: undefined };
  const { kind, value, declared } = view.content.parsed;
  if (kind !== 'tool' || !declared || isChainLink(value)) return { view, chain: undefined };
  const { env: envNames } = config.agent.tools;
  const lookup = (id: string): ToolItem => items.tool(id);
  const runnersDir = join(SYSTEM_DIR, 'runtimes');
  return { view, chain: viewChain(value, { lookup, projectPath, env, envNames, runnersDir }) };
}

function print(shown: readonly Shown[], { json, io }: { readonly json: boolean; readonly io: CliIo }): void {
  const text = json
    ? `${printableJson(shown.map(({ view, chain }) => shownJson(view, chain)))}\n`
    : shown.map(({ view, chain }) => describeItem(view, chain)).join('\n');
  io.stdout.write(text);
}

function report(shown: readonly Shown[], { stderr }: CliIo): ExitCode {
  const refusals = shown.flatMap(({ view }) => refusalOf(view) ?? []);
  for (const refusal of refusals) stderr.write(`skein: ${printable(describeFailure(refusal))}\n`);
  const [first] = refusals;
  return first === undefined ? EXIT.completed : exitCodeOf(first);
}
