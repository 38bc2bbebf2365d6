import { toFailure } from '../core/errors.ts';
import { isSecretName } from '../core/secret-names.ts';
import type { Config } from './config.ts';
import { readKeyFile } from './key-file.ts';

/** A value that is known to be secret, and what may be said of it. */
type KnownSecret = { readonly what: string; readonly value: string };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * All that is known to be secret: the value of every variable that is named like a secret or that the configuration takes a key
 * or a header from, and what is in files of keys. What is stored has none of it, and `doctor` looks for it.
 */
export function knownSecrets({ agent, mcp }: Pick<Config, 'agent' | 'mcp'>, env: Env): readonly KnownSecret[] {
  const providers = Object.values(agent.providers);
  const named = [
    ...providers.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...Object.values(mcp.servers).flatMap((server) => (server.kind === 'http' ? Object.values(server.headersEnv) : [])),
  ].filter((name) => Object.hasOwn(env, name));
  return [
    ...inVariables(new Set([...Object.keys(env).filter(isSecretName), ...named]), env),
    ...providers.flatMap(({ apiKeyFile }) => (apiKeyFile === undefined ? [] : keyIn(apiKeyFile))),
  ];
}

/** The values alone. */
export function secretValues(config: Pick<Config, 'agent' | 'mcp'>, env: Env): readonly string[] {
  return knownSecrets(config, env).map(({ value }) => value);
}

/** The values of the variables that are named like a secret. */
export function secretsIn(env: Env): readonly string[] {
  return inVariables(Object.keys(env).filter(isSecretName), env).map(({ value }) => value);
}

function inVariables(names: Iterable<string>, env: Env): KnownSecret[] {
  return [...names].flatMap((name) =>
    partsOf(env[name] ?? '').map((value) => ({ what: `the value of ${name}`, value })),
  );
}

/** A header's value is a scheme and a token: the token alone is as secret. */
function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  const token = /^[A-Za-z]{1,20} +(\S+)$/.exec(whole)?.[1];
  return token === undefined ? [whole] : [whole, token];
}

/** A file that can't be read has no key to hide; whoever needs the key says so. */
function keyIn(file: string): readonly KnownSecret[] {
  try {
    return [{ what: `the key in ${file}`, value: readKeyFile(file) }];
  } catch (thrown) {
    if (toFailure(thrown).code === 'provider_key_missing') return [];
    throw thrown;
  }
}
