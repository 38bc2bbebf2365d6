import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { defaultUserSpace, SYSTEM_DIR } from '../config/default-places.ts';
import { loadConfig } from '../config/load.ts';
import { projectFolder } from '../config/project-folder.ts';
import { systemClock } from '../core/clock.ts';
import { SkeinError } from '../index.ts';
import { createParserRouter } from '../items/parser-router.ts';
import { createItemValidator } from '../items/signature/validate-item.ts';
import { createTrustStore, type TrustStore } from '../items/signature/trust-store.ts';
import { createSpaces, type ReadItem, type Spaces } from '../items/spaces.ts';
import type { CliIo } from './io.ts';
import { printable } from './printable.ts';

/** Where the items of a project are and what is configured, for commands that need no runtime. */
export type ItemPlaces = {
  /** Absolute path of the project's root. */
  readonly projectPath: string;
  readonly userSpace: string | undefined;
  readonly config: Config;
};

/** Reads the configuration of a project (default: here). @throws SkeinError `invalid_config`, `invalid_argument` */
export function openPlaces(project: string | undefined, io: CliIo): ItemPlaces {
  const projectPath = projectFolder(project, io.cwd);
  const userSpace = defaultUserSpace(io.env);
  const { config } = loadConfig({
    systemDir: SYSTEM_DIR,
    projectDir: projectPath,
    ...(userSpace !== undefined && { userDir: userSpace }),
  });
  return { projectPath, userSpace, config };
}

/** The user space. @throws SkeinError `invalid_argument` if the environment names none */
export function userSpaceOf({ env }: Pick<CliIo, 'env'>): string {
  const userSpace = defaultUserSpace(env);
  if (userSpace !== undefined) return userSpace;
  throw new SkeinError('invalid_argument', 'There is no user space; set SKEIN_USER_SPACE or HOME');
}

/** The spaces of a project, and the check that an item has to pass before it is signed. */
export type OpenItems = { readonly spaces: Spaces; readonly validate: (item: ReadItem) => readonly string[] };

/** Opens the spaces of a project. */
export function openItems({ projectPath, userSpace, config }: ItemPlaces): OpenItems {
  const router = createParserRouter(config.extractors);
  return {
    spaces: createSpaces({ projectPath, userSpace, systemSpace: join(SYSTEM_DIR, 'space') }, router),
    validate: createItemValidator(router, config.extractors),
  };
}

/** The trust store of a project; key files that can't be used are named on stderr. */
export function openTrust({ projectPath, userSpace, config }: ItemPlaces, io: CliIo): TrustStore {
  return createTrustStore({
    userSpace,
    projectPath,
    systemDir: SYSTEM_DIR,
    projectVouches: config.projectVouches,
    now: systemClock.now,
    onWarning: ({ message, where }) => io.stderr.write(`warning: ${printable(message)} (${printable(where)})\n`),
  });
}
