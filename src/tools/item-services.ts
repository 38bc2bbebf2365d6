import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { projectSpaceOf } from '../config/project-space.ts';
import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import type { Tool } from '../core/tool.ts';
import type { RenderBody } from '../items/inputs.ts';
import { createItemCache, type ItemCache } from '../items/item-cache.ts';
import type { ItemVerifier } from '../items/item-trust.ts';
import { withParsedItems } from '../items/parsed-items.ts';
import { createParserRouter, type ParserRouter } from '../items/parser-router.ts';
import { createItemIndex, type ItemIndex } from '../items/search/item-index.ts';
import { createItemVerifier, formsOf } from '../items/signature/item-verifier.ts';
import { createTrustStore, type TrustStore } from '../items/signature/trust-store.ts';
import { createSpaces, ITEM_FOLDERS, type Spaces } from '../items/spaces.ts';
import { withUserSpace, type Env } from './child-env.ts';
import type { CopyPlaces } from './copy-item.ts';
import { createToolDispatcher, type ToolDispatcher } from './dispatcher.ts';
import { createFileTools, type FileTools } from './file-tools.ts';
import { createHttpClient } from './http-client.ts';
import { indexedItems, indexRevision } from './indexed-items.ts';
import { createItemSigning } from './item-signing.ts';
import { createItemOpener } from './open-item.ts';
import type { ChainServices } from './planned-call.ts';
import { createPrimaryActions } from './primary-actions.ts';
import { createProcessRuntime } from './process-runtime.ts';

/** Where the items are, and what reading and running them depends on. */
export type ItemServicesOptions = {
  readonly projectPath: string;
  /** `~/.ai`; undefined: there is none. */
  readonly userSpace: string | undefined;
  /** The shipped `config` folder: the system space, its key and the runners. */
  readonly systemDir: string;
  readonly config: Config;
  readonly env: Env;
  readonly clock: Clock;
  /** Tools that are no file's: registered ones and thread tools. They win over a file of the same id. */
  readonly registered?: (id: string) => Tool | undefined;
  /** Renders the body of a directive that is a template. Default: such a directive can't be filled in. */
  readonly renderTemplate?: RenderBody;
  /** Told what is wrong with items and keys that nobody asked for. */
  readonly onProblem?: (failure: Failure) => void;
};

/** Everything about the items of a project. */
export interface ItemServices {
  readonly router: ParserRouter;
  readonly spaces: Spaces;
  readonly trust: TrustStore;
  readonly verify: ItemVerifier;
  readonly items: ItemCache;
  readonly index: ItemIndex;
  /** The tools of files. */
  readonly tools: FileTools;
  readonly dispatcher: ToolDispatcher;
  /** Ends the tool processes and closes the index. */
  close(): void;
}

/** Wires items, signatures, search and tools together: the one place that does, for workers, commands and MCP. */
export function createItemServices(options: ItemServicesOptions): ItemServices {
  const { config, env, registered = () => undefined } = options;
  const onProblem = options.onProblem ?? (() => undefined);
  const reading = createReading(options, onProblem);
  const { router, spaces, trust, verify, items, open } = reading;
  const primitives = createPrimitives(options);
  const tools = createFileTools({ items, primitives });
  const index = createIndex(reading, options);
  const actions = createPrimaryActions({
    items: {
      directive: (id, source) => items.directive(id, source),
      remarks: (id, source) => items.remarks('directive', id, source),
      open,
    },
    registered,
    files: tools,
    environment: { allowed: config.agent.inputEnv, values: env },
    ...(options.renderTemplate && { renderTemplate: options.renderTemplate }),
    index,
    changed: (kind, id) => {
      items.forget(kind, id);
      index.outdate();
    },
    places: placesOf(options, reading),
    signing: createItemSigning({ ...reading, ...options, extractors: config.extractors }),
  });
  return {
    router,
    spaces,
    trust,
    verify,
    items,
    index,
    tools,
    dispatcher: createToolDispatcher(actions),
    close: () => {
      primitives.processes.killAll();
      index.close();
    },
  };
}

/** What chains end in. */
function createPrimitives(options: ItemServicesOptions): Omit<ChainServices, 'lookup' | 'forget'> {
  const { config, clock, systemDir } = options;
  const { env: envNames, allowPrivate, maxProcesses } = config.agent.tools;
  const env = withUserSpace(options.env, options.userSpace);
  const runnersDir = join(systemDir, 'runtimes');
  return {
    processes: createProcessRuntime({ runnersDir, env, clock, envNames, maxProcesses }),
    http: createHttpClient({ clock, allowPrivate }),
  };
}

type Reading = ReturnType<typeof createReading>;

/** What finds, verifies and parses items. */
function createReading(options: ItemServicesOptions, onProblem: (failure: Failure) => void) {
  const { config, clock, projectPath, userSpace, systemDir } = options;
  const { now } = clock;
  const shipped = { systemDir, extractors: config.extractors.system };
  const router = withParsedItems(createParserRouter(config.extractors), shipped);
  const spaces = createSpaces({ projectPath, userSpace, systemSpace: join(systemDir, 'space') }, router);
  const { projectVouches, agent } = config;
  const trust = createTrustStore({
    userSpace,
    projectPath,
    systemDir,
    projectVouches,
    now,
    onWarning: ({ message, where }) => onProblem({ code: 'invalid_item', message, where: { file: where } }),
  });
  const formOf = formsOf(config.extractors);
  const verify = createItemVerifier(trust, formOf);
  const items = createItemCache(spaces, {
    router,
    now,
    onWarning: onProblem,
    verify,
    keysRevision: () => trust.revision(),
    policy: agent.trust,
  });
  const open = createItemOpener({ spaces, router, verify, policy: agent.trust });
  return { router, spaces, trust, formOf, verify, items, open };
}

function createIndex({ spaces, open, trust }: Reading, options: ItemServicesOptions): ItemIndex {
  const { config, clock, projectPath, userSpace, systemDir } = options;
  const keys = () => trust.list().map(({ fingerprint, vouchesFor }) => [fingerprint, vouchesFor]);
  return createItemIndex({
    // Its weights hold for the whole index: a field of the project's is empty in the items of others.
    ...indexedItems(spaces, { open }, config.extractors.project),
    file: join(projectPath, '.ai', 'cache', 'items.db'),
    // Other keys let other items be found.
    revision: () => indexRevision(config.extractors, config.agent.trust, keys(), [userSpace, systemDir]),
    now: clock.now,
  });
}

function placesOf({ projectPath, userSpace }: ItemServicesOptions, { spaces, router }: Reading): CopyPlaces {
  const user = userSpace === undefined ? undefined : resolve(userSpace);
  const roots = { project: projectSpaceOf(projectPath, userSpace), user, system: undefined };
  return {
    place: (space, kind) => {
      const root = roots[space];
      return root === undefined ? undefined : { root, folder: ITEM_FOLDERS[kind] };
    },
    extensionIn: (space, kind, id) => spaces.find(kind, id, space)?.extension,
    textIn: (space, kind, id) => spaces.read(kind, id, space).raw,
    extensions: (space, kind) => router.extensionsOf(kind, space),
  };
}
