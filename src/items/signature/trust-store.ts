import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectSpaceOf } from '../../config/project-space.ts';
import { codeOf, isAbsent } from '../../core/code-of.ts';
import { SkeinError } from '../../core/errors.ts';
import type { SpaceName } from '../../core/item.ts';
import { keyPlaces } from './key-places.ts';
import { createKeySet, type KeySet, type KeySetOptions } from './key-set.ts';
import type { KeyLookup } from './verify-signature.ts';

/** Which keys vouch for the items of which space (docs/adr/0009-signatures.md). */
export type TrustStore = {
  /** The keys for a space's items. The function may be kept: it looks at the files again when they have changed. */
  keysFor(space: SpaceName): KeyLookup;
  /** Every key there is, in the order user, project, system. */
  list(): readonly ListedKey[];
  /** Grows whenever keys have been read again: what was verified before may have another state now. */
  revision(): number;
};

/** A trusted key, where it lies, and whose items it vouches for. */
export type ListedKey = {
  readonly fingerprint: string;
  readonly space: SpaceName;
  readonly vouchesFor: readonly SpaceName[];
  readonly file: string;
};

/** Where keys come from. */
export type TrustStoreOptions = KeySetOptions & {
  /** The user space, if there is one: its keys vouch for items of the user and of projects. */
  readonly userSpace?: string | undefined;
  readonly projectPath: string;
  /** The shipped `config` folder: the key made by the build vouches for the system space, and for nothing else. */
  readonly systemDir: string;
  /** Whether the project's own keys vouch for its items. */
  readonly projectVouches: boolean;
};

/** The public half of the key that the build signed the system space with, in the shipped `config` folder. */
export const SYSTEM_KEY_NAME = 'space-key.pem';

/** Opens the trust store. Files that hold no key are passed over with a warning. */
export function createTrustStore(options: TrustStoreOptions): TrustStore {
  const { projectVouches } = options;
  const { userFolder, projectFolder } = folders(options);
  const user = createKeySet(() => keyFiles(userFolder), options);
  const project = createKeySet(() => keyFiles(projectFolder), options);
  const system = createKeySet(() => [join(options.systemDir, SYSTEM_KEY_NAME)], options);
  const projectKey: KeyLookup = (fingerprint) => (projectVouches ? project.keys().get(fingerprint)?.key : undefined);
  const lookups: Readonly<Record<SpaceName, KeyLookup>> = {
    project: (fingerprint) => lookups.user(fingerprint) ?? projectKey(fingerprint),
    user: (fingerprint) => user.keys().get(fingerprint)?.key,
    system: (fingerprint) => system.keys().get(fingerprint)?.key,
  };
  const sets: readonly Source[] = [
    { space: 'user', set: user, vouchesFor: ['project', 'user'] },
    { space: 'project', set: project, vouchesFor: projectVouches ? ['project'] : [] },
    { space: 'system', set: system, vouchesFor: ['system'] },
  ];
  return {
    keysFor: (space) => lookups[space],
    list: () =>
      sets.flatMap(({ space, set, vouchesFor }) =>
        [...set.keys().values()].map(({ fingerprint, file }) => ({ fingerprint, space, vouchesFor, file })),
      ),
    revision: () => user.revision() + project.revision() + system.revision(),
  };
}

/** The keys in one place. */
type Source = { readonly space: SpaceName; readonly set: KeySet; readonly vouchesFor: readonly SpaceName[] };

/** A project that is the user's own space has the user's keys, and none of its own. */
function folders({ userSpace, projectPath }: TrustStoreOptions): {
  readonly userFolder: string | undefined;
  readonly projectFolder: string | undefined;
} {
  const userFolder = userSpace === undefined ? undefined : keyPlaces(resolve(userSpace)).trusted;
  const projectSpace = projectSpaceOf(projectPath, userSpace);
  return { userFolder, projectFolder: projectSpace && keyPlaces(projectSpace).trusted };
}

function keyFiles(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.pem'));
    return names.toSorted().map((name) => join(folder, name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw new SkeinError('key_unusable', `The trusted keys can't be listed (${String(codeOf(error))})`, {
      where: { file: folder },
      cause: error,
    });
  }
}
