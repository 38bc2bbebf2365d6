import { isDeepStrictEqual } from 'node:util';
import { SkeinError } from '../core/errors.ts';
import { SPACE_NAMES } from '../core/item.ts';
import { own } from '../core/record.ts';
import type { AgentConfig } from './agent.ts';
import type { Extractor, FieldSpec } from './extractors.ts';
import type { Layer } from './layers.ts';
import type { McpConfig, McpServerConfig } from './mcp.ts';
import type { Document } from './merge.ts';
import { entryOf } from './model-entry.ts';

/**
 * What a project's `agent.yaml` may not do. A project is often somebody else's: it must not send the user's API keys to
 * a server of its choice, name other secrets as keys, say what a model costs that is paid for (limits of money would
 * bound nothing), put more of the environment into prompts, let tools see or reach more, or lower the user's trust
 * policy. User space and code may.
 *
 * @throws SkeinError `invalid_config` with the setting's path.
 */
export function checkProjectAgent({ file, level }: Layer, before: AgentConfig, after: AgentConfig): void {
  if (level !== 'project') return;
  for (const [name, provider] of Object.entries(after.providers)) {
    const old = own(before.providers, name);
    if (provider.apiKeyEnv !== old?.apiKeyEnv) throw refusal(file, `providers.${name}.api_key_env`);
    if (provider.apiKeyFile !== old?.apiKeyFile) throw refusal(file, `providers.${name}.api_key_file`);
    if (provider.kind !== old?.kind && old !== undefined) throw refusal(file, `providers.${name}.kind`);
    if (provider.baseUrl !== old?.baseUrl && (hasKey(provider) || !isLoopback(provider.baseUrl))) {
      throw refusal(file, `providers.${name}.base_url`);
    }
  }
  const repriced = findRepriced(before, after);
  if (repriced !== undefined) throw refusal(file, `models.${repriced}`, 'change what a model costs that is paid for');
  if (after.unknownPrice === 'zero' && before.unknownPrice !== 'zero') throw refusal(file, 'unknown_price');
  if (after.inputEnv.some((name) => !before.inputEnv.includes(name))) throw refusal(file, 'input_env');
  if (!isSubset(after.tools.env, before.tools.env)) throw refusal(file, 'tools.env');
  if (!isSubset(after.tools.allowPrivate, before.tools.allowPrivate)) throw refusal(file, 'tools.allow_private');
  if (after.tools.maxProcesses > before.tools.maxProcesses) throw refusal(file, 'tools.max_processes');
  for (const space of SPACE_NAMES) {
    if (STRICTNESS[after.trust[space]] < STRICTNESS[before.trust[space]]) throw refusal(file, `trust.${space}`);
  }
}

/** A model in `models` whose price is another than before, at a provider that may cost money. */
function findRepriced(before: AgentConfig, after: AgentConfig): string | undefined {
  const paid = Object.keys(after.providers).filter((name) => mayCost(name, before, after));
  const isRepriced = (key: string, provider: string): boolean => {
    const model = key.startsWith(`${provider}:`) ? key.slice(provider.length + 1) : key;
    const [old, now] = [before, after].map((agent) => entryOf({ provider, model }, agent)?.price);
    return !isDeepStrictEqual(old, now);
  };
  return Object.keys(after.models).find((key) => paid.some((provider) => isRepriced(key, provider)));
}

/** Not scripts, nor a server on this machine that the project has added and that gets no key; one of another's may ask for money. */
function mayCost(name: string, before: AgentConfig, { providers }: AgentConfig): boolean {
  const provider = providers[name];
  if (provider === undefined || provider.kind === 'scripted') return false;
  const isOwn = !Object.hasOwn(before.providers, name) && provider.baseUrl !== undefined && !hasKey(provider);
  return !isOwn || Object.values(before.providers).some(({ baseUrl }) => isSameServer(baseUrl, provider.baseUrl));
}

/**
 * What a project's extractors may not do: read or run a known file type, or read a field, in another way, or ask for
 * less before signing. Only the project's items are read by them, but the user and others the user trusts may have
 * signed those: in another comment form their signatures would not be seen, and with another path or default they would
 * be shown as something that nobody signed. New file types and fields are fine, and so are other weights and stricter
 * demands.
 *
 * @throws SkeinError `invalid_config` with the setting's path.
 */
export function checkProjectExtractor({ file, level }: Layer, before: Extractor, after: Extractor): void {
  if (level !== 'project') return;
  for (const known of before.files) {
    const now = after.files.find(({ id }) => id === known.id);
    if (now?.parser !== known.parser) throw refusal(file, `files[${known.id}].parser`);
    if (now.executor !== known.executor) throw refusal(file, `files[${known.id}].executor`);
  }
  for (const known of before.fields) {
    const now = after.fields.find(({ id }) => id === known.id);
    const changed = now === undefined ? 'id' : changedReading(known, now);
    if (changed !== undefined) throw refusal(file, `fields[${known.id}].${changed}`);
  }
}

function changedReading(known: FieldSpec, now: FieldSpec): keyof FieldSpec | undefined {
  const other = (['path', 'type', 'default'] as const).find((key) => !isDeepStrictEqual(known[key], now[key]));
  if (other !== undefined) return other;
  if (known.required && !now.required) return 'required';
  const isWider = known.enum !== undefined && !now.enum?.every((value) => known.enum?.includes(value));
  return isWider ? 'enum' : undefined;
}

/**
 * What a project's `mcp.yaml` may not do: add a server or change one, since a command would be run, or a secret sent, without
 * anybody having asked for it (docs/adr/0011-mcp.md). It may switch servers off and shorten their time.
 *
 * @throws SkeinError `invalid_config` with the server's path.
 */
export function checkProjectMcp({ file, level }: Layer, before: McpConfig, after: McpConfig): void {
  if (level !== 'project') return;
  for (const [name, server] of Object.entries(after.servers)) {
    const old = own(before.servers, name);
    if (old === undefined || isMore(server, old)) throw refusal(file, `servers.${name}`);
  }
}

function isMore(server: McpServerConfig, old: McpServerConfig): boolean {
  const { enabled, timeoutSeconds } = old;
  if (server.timeoutSeconds > timeoutSeconds || (server.enabled && !enabled)) return true;
  return !isDeepStrictEqual({ ...server, enabled, timeoutSeconds }, old);
}

/**
 * Whether the project's own keys may vouch for its items, and its hooks count, which nobody can sign. Not where
 * `trust.project` is `strict` by the user's config or by code: there only the user's keys count. A project that asks for
 * `strict` itself means its own keys and hooks too.
 *
 * @param layers those of `agent.yaml`, weakest first
 */
export function projectMayVouch(layers: readonly Layer[]): boolean {
  const asked = layers.filter(({ level }) => level !== 'project').map(({ document }) => trustOfProject(document));
  return asked.findLast((policy) => policy !== undefined) !== 'strict';
}

function trustOfProject({ trust }: Document): unknown {
  return typeof trust === 'object' && trust !== null && 'project' in trust ? trust.project : undefined;
}

const STRICTNESS = { off: 0, warn: 1, strict: 2 } as const;

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((entry) => whole.includes(entry));
}

/** A server on this machine may be the project's, too: it gets no key of the user. */
function hasKey({ kind, apiKeyEnv, apiKeyFile }: AgentConfig['providers'][string]): boolean {
  return kind !== 'openai' || apiKeyEnv !== undefined || apiKeyFile !== undefined;
}

function isLoopback(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Two addresses of this machine: the port alone tells them apart. */
function isSameServer(one: string | undefined, other: string | undefined): boolean {
  return isLoopback(one) && isLoopback(other) && portOf(one) === portOf(other);
}

function portOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { port, protocol } = new URL(url);
  return port === '' ? protocol : port;
}

function refusal(file: string, path: string, change = 'change this'): SkeinError {
  const message = `a project may not ${change}; set it in the user space or in code`;
  return new SkeinError('invalid_config', message, { where: { file, path } });
}
