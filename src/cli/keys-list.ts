import { findSigner } from '../items/signature/private-key.ts';
import type { ListedKey } from '../items/signature/trust-store.ts';
import { SkeinError } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { openPlaces, openTrust } from './item-places.ts';
import { COMMON } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { explain } from './start.ts';

/** `skein keys list`: the trusted keys of the user, the project and the package. */
export const keysList: Command = defineCommand({
  name: 'keys list',
  takes: '',
  summary: 'the keys that are trusted, and whose items they vouch for',
  options: COMMON,
  examples: [['skein keys list', 'yours, the project’s and that of the package']],
  run({ values, positionals }, io) {
    noPositionals('keys list', positionals);
    const places = openPlaces(values.project, io);
    const own = ownFingerprint(places.userSpace, io);
    const keys = openTrust(places, io).list();
    if (values.json === true) io.stdout.write(`${printableJson(keys.map((key) => toJson(key, own)))}\n`);
    else for (const key of keys) io.stdout.write(`${describe(key, own)}\n`);
    return EXIT.completed;
  },
});

/** A private key that can't be used is no reason not to list the public ones. */
function ownFingerprint(userSpace: string | undefined, io: CliIo): string | undefined {
  try {
    const own = userSpace === undefined ? undefined : findSigner(userSpace);
    if (own === undefined) io.stderr.write('There is no signing key; "skein keys init" makes one.\n');
    return own?.fingerprint;
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    io.stderr.write(`warning: ${explain(thrown).line}\n`);
    return undefined;
  }
}

function toJson({ fingerprint, space, vouchesFor, file }: ListedKey, own: string | undefined): object {
  return { fingerprint, space, own: fingerprint === own, vouches_for: vouchesFor, file };
}

function describe({ fingerprint, space, vouchesFor, file }: ListedKey, own: string | undefined): string {
  const role = fingerprint === own ? 'own' : '';
  const items = vouchesFor.length === 0 ? 'nothing' : `items of ${vouchesFor.join(' and ')}`;
  return `${fingerprint}  ${space.padEnd(7)}  ${role.padEnd(3)}  vouches for ${items}  ${printable(file)}`;
}
