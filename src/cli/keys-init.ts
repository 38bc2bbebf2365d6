import { initKey } from '../items/signature/private-key.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { userSpaceOf } from './item-places.ts';
import { noPositionals } from './positionals.ts';
import { COMMON } from './options.ts';
import { printable, printableJson } from './printable.ts';

/** `skein keys init`: makes the user's signing key; prints its fingerprint. */
export const keysInit: Command = defineCommand({
  name: 'keys init',
  takes: '',
  summary: 'make your signing key',
  options: { json: COMMON.json },
  examples: [['skein keys init', 'once; skein sign needs it']],
  run({ values, positionals }, io) {
    noPositionals('keys init', positionals);
    const { fingerprint, file, publicFile } = initKey(userSpaceOf(io));
    io.stderr.write(`The private key is ${printable(file)}: keep it to yourself.\n`);
    io.stderr.write(`The public key is ${printable(publicFile)}: whoever trusts it trusts what you sign.\n`);
    io.stdout.write(`${values.json ? printableJson({ fingerprint, file, public_file: publicFile }) : fingerprint}\n`);
    return EXIT.completed;
  },
});
