import { toFailure } from '../core/errors.ts';
import { isSecretName } from '../core/secret-names.ts';
import type { Config } from './config.ts';
import { readKeyFile } from './key-file.ts';

/**
 * The values that are known to be secret: of every variable that is named like a secret or that the configuration takes a key
 * or a header from, and what is in the files of keys.
 */
export function secretValues(
  { agent, mcp }: Pick<Config, 'agent' | 'mcp'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const providers = Object.values(agent.providers);
  const named = [
    ...providers.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    ...Object.values(mcp.servers).flatMap((server) => (server.kind === 'http' ? Object.values(server.headersEnv) : [])),
  ];
  const fromEnv = [...new Set(named)].flatMap((name) => (Object.hasOwn(env, name) ? partsOf(env[name] ?? '') : []));
  return [
    ...secretsIn(env),
    ...fromEnv,
    ...providers.flatMap(({ apiKeyFile }) => (apiKeyFile === undefined ? [] : keyIn(apiKeyFile))),
  ];
}

/** The values of the variables that are named like a secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? partsOf(value ?? '') : []));
}

/** A header's value is a scheme and a token: the token alone is as secret. */
function partsOf(value: string): readonly string[] {
  const whole = value.trim();
  const token = /^[A-Za-z]{1,20} +(\S+)$/.exec(whole)?.[1];
  return token === undefined ? [whole] : [whole, token];
}

/** A file that can't be read has no key to hide; whoever needs the key says so. */
function keyIn(file: string): readonly string[] {
  try {
    return [readKeyFile(file)];
  } catch (thrown) {
    if (toFailure(thrown).code === 'provider_key_missing') return [];
    throw thrown;
  }
}
