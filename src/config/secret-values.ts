import { toFailure } from '../core/errors.ts';
import { isSecretName } from '../core/secret-names.ts';
import type { Config } from './config.ts';
import { readProviderKey } from './provider-key.ts';

/** A value that is known to be secret, and what may be said of it. */
export type KnownSecret = { readonly what: string; readonly value: string };

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
    ...inVariables(new Set([...secretVariables(env), ...named]), env),
    ...providers.flatMap(({ apiKeyFile }) => (apiKeyFile === undefined ? [] : keyIn(apiKeyFile))),
  ];
}

/** The values alone. */
export function secretValues(config: Pick<Config, 'agent' | 'mcp'>, env: Env): readonly string[] {
  return knownSecrets(config, env).map(({ value }) => value);
}

/** What variables are known to have without a configuration: the values of those that are named like a secret. */
export function variableSecrets(env: Env): readonly KnownSecret[] {
  return inVariables(secretVariables(env), env);
}

/** The values alone. */
export function secretsIn(env: Env): readonly string[] {
  return variableSecrets(env).map(({ value }) => value);
}

/** What a key looks like that no name tells from a path or a word: long, and of letters and digits. */
const KEY_LIKE = /^(?![~./])(?=\S*\d)(?=\S*[A-Za-z])[\w+/=.-]{16,}$/;

/** Variables that are named like a secret. `…_KEY` alone may name anything: there the value tells. */
function secretVariables(env: Env): string[] {
  const isSecret = (name: string): boolean =>
    isSecretName(name) || (/_KEY$/i.test(name) && KEY_LIKE.test(env[name]?.trim() ?? ''));
  return Object.keys(env).filter(isSecret);
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
    return [{ what: `the key in ${file}`, value: readProviderKey(file) }];
  } catch (thrown) {
    if (toFailure(thrown).code === 'provider_key_missing') return [];
    throw thrown;
  }
}
