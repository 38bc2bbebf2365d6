import { SkeinError } from '../core/errors.ts';
import type { AgentConfig } from './agent.ts';
import type { Layer } from './layers.ts';

/**
 * What a project's `agent.yaml` may not do. A project is often somebody else's: it must not send the user's API keys to
 * a server of its choice, name other secrets as keys, or lower the user's trust policy. User space and code may.
 *
 * @throws SkeinError `invalid_config` with the setting's path.
 */
export function checkProjectAgent({ file, level }: Layer, before: AgentConfig, after: AgentConfig): void {
  if (level !== 'project') return;
  for (const [name, provider] of Object.entries(after.providers)) {
    const old = Object.hasOwn(before.providers, name) ? before.providers[name] : undefined;
    if (provider.apiKeyEnv !== old?.apiKeyEnv) throw refusal(file, `providers.${name}.api_key_env`);
    if (provider.kind !== old?.kind && old !== undefined) throw refusal(file, `providers.${name}.kind`);
    if (provider.baseUrl !== old?.baseUrl && !isLoopback(provider.baseUrl)) {
      throw refusal(file, `providers.${name}.base_url`);
    }
  }
  for (const space of ['project', 'user', 'system'] as const) {
    if (STRICTNESS[after.trust[space]] < STRICTNESS[before.trust[space]]) throw refusal(file, `trust.${space}`);
  }
}

const STRICTNESS = { off: 0, warn: 1, strict: 2 } as const;

function isLoopback(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function refusal(file: string, path: string): SkeinError {
  const message = 'a project may not change this; set it in the user space (config/agent.yaml) or in code';
  return new SkeinError('invalid_config', message, { where: { file, path } });
}
