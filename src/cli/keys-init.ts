import { initKey } from '../items/signature/private-key.ts';
import { readArguments } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { userSpaceOf } from './item-places.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';

/** `skein keys init`: makes the user's signing key; prints its fingerprint. */
export function keysInit(args: readonly string[], io: CliIo): ExitCode {
  noPositionals('keys init', readArguments(args, {}).positionals);
  const { fingerprint, file, publicFile } = initKey(userSpaceOf(io));
  io.stderr.write(`The private key is ${printable(file)}: keep it to yourself.\n`);
  io.stderr.write(`The public key is ${printable(publicFile)}: whoever trusts it trusts what you sign.\n`);
  io.stdout.write(`${fingerprint}\n`);
  return EXIT.completed;
}
