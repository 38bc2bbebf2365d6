import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { usdPerMillionToNano } from '../core/money.ts';
import type { ModelPrice } from '../core/provider.ts';
import { ASSEMBLIES, TIER_POLICIES } from '../core/assembly.ts';
import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';
import { DEFAULT_MAX_OUTPUT_TOKENS } from './model-entry.ts';
import { checkReasoning, reasoningSetting } from './reasoning.ts';
import { parseSection, schemaVersion, section, strict, variableName } from './section.ts';

/** USD per million tokens in the file, nano-USD per token inside. */
const pricePerToken = z.number().min(0).max(1_000_000).transform(usdPerMillionToNano);

const rates = {
  input: pricePerToken,
  output: pricePerToken,
  cache_read: pricePerToken,
  cache_write: pricePerToken,
};

const price: z.ZodType<ModelPrice> = section({
  ...rates,
  /** What a call costs whose input is longer than `tokens`. */
  above: z
    .array(section({ tokens: z.int().min(1), ...rates }))
    .transform((steps) => steps.toSorted((one, other) => one.tokens - other.tokens))
    .optional(),
});

/** How models call tools: in the provider's own way, or in the text they write. */
const toolCalling = z.enum(['native', 'text']);

/** Seconds in the file, milliseconds inside. */
const limitSeconds = z
  .number()
  .min(0.001)
  .max(86_400)
  .transform((seconds) => Math.ceil(seconds * 1000));

/** How long a call may be silent, and take. What is left out is the adapters' own (docs/providers.md). */
const timeouts = strict({
  first_byte_seconds: limitSeconds.optional(),
  idle_seconds: limitSeconds.optional(),
  total_seconds: limitSeconds.optional(),
}).transform(({ first_byte_seconds: firstByteMs, idle_seconds: idleMs, total_seconds: totalMs }) => ({
  ...(firstByteMs !== undefined && { firstByteMs }),
  ...(idleMs !== undefined && { idleMs }),
  ...(totalMs !== undefined && { totalMs }),
}));

const provider = section({
  kind: z.enum(['anthropic', 'openai', 'gemini', 'scripted']),
  /** Which of OpenAI's APIs; default: `responses` for OpenAI itself, `chat` for any other `base_url`. */
  api: z.enum(['responses', 'chat']).optional(),
  /** Name of the environment variable that holds the key; the key itself is never in a file. */
  api_key_env: variableName.optional(),
  /** File that holds the key, in place of the variable; in a config file relative to that file. */
  api_key_file: z.string().refine(isAbsolute, 'an absolute path').optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  timeouts: timeouts.optional(),
  /** Most tokens a call may produce when the model's entry does not say; default: 8192. */
  max_output_tokens: z.int().min(1).optional(),
  /** Default: native. */
  tools: toolCalling.optional(),
});

const trust = z.enum(['strict', 'warn', 'off']);

/** What the user lets tools do; a project may not add to it (`checkProjectAgent`). */
const tools = section({
  /** Names of environment variables that every tool may see. */
  env: z.array(variableName).readonly(),
  /** Ranges of private addresses that `rye/core/primitives/http_client` may reach. */
  allow_private: z.array(z.union([z.cidrv4(), z.cidrv6()], 'a range of addresses such as 10.0.0.0/8')).readonly(),
  /** Most tool processes of one worker at a time; calls beyond them wait. */
  max_processes: z.int().min(1).max(1_000),
});

const agentSchema = section({
  schema_version: schemaVersion,
  providers: z.record(z.string().min(1), provider).readonly(),
  tiers: z
    .record(
      z.string().min(1),
      section({
        provider: z.string(),
        model: z.string().min(1),
        /** The model that a thread goes on with when this one fails: a tier, a model or `provider:model`. */
        fallback: z.string().min(1).optional(),
      }),
    )
    .readonly(),
  models: z
    .record(
      z.string().min(1),
      section({
        provider: z.string(),
        /** Tokens of input and output together; absent, as everything but the provider may be: as the price table says. */
        context_window: z.int().min(1).optional(),
        max_output_tokens: z.int().min(1).optional(),
        /** Default: as its provider. */
        tools: toolCalling.optional(),
        /** USD per million tokens. */
        price: price.optional(),
        /** How much it is to think. */
        reasoning: reasoningSetting.optional(),
      }),
    )
    .readonly(),
  /** Most connections of one worker to one server; calls beyond them wait. */
  connections: z.int().min(1).max(65_535),
  /** How the prompts of directives are assembled that do not say. */
  assembly: z.enum(ASSEMBLIES),
  /** What decides where things stand in prompts in tiers. */
  assembly_policy: z.enum(TIER_POLICIES),
  /** What to do with a call whose price is neither in `models` nor in the price table: refuse it, or count it as zero and warn. */
  unknown_price: z.enum(['refuse', 'zero']),
  /** What to do with unsigned items of a space: refuse, run with a warning, run. A wrong signature is always refused. */
  trust: section({ project: trust, user: trust, system: trust }),
  tools,
  /** The environment variables that directives may put into their prompts with `{env:NAME}`. */
  input_env: z.array(variableName).readonly(),
});

/** `agent.yaml`: providers, model tiers, prices. Prices are nano-USD per token here. */
export type AgentConfig = z.output<typeof agentSchema>;

/** Parses `agent.yaml`; every provider that a tier or model names must be there, and the tier `general`. */
export function parseAgent(document: Document, file: string): AgentConfig {
  const agent = parseSection(agentSchema, document, file);
  for (const group of ['tiers', 'models'] as const) {
    for (const [name, entry] of Object.entries(agent[group])) {
      if (Object.hasOwn(agent.providers, entry.provider)) continue;
      const known = Object.keys(agent.providers).join(', ');
      throw refusal(`unknown provider "${entry.provider}"; known: ${known}`, file, `${group}.${name}.provider`);
    }
  }
  for (const [name, { provider: kin, reasoning, maxOutputTokens: own }] of Object.entries(agent.models)) {
    const settings = agent.providers[kin];
    if (!reasoning || !settings) continue;
    const maxOutputTokens = own ?? settings.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
    checkReasoning({ reasoning, kind: settings.kind, maxOutputTokens }, { file, path: `models.${name}.reasoning` });
  }
  for (const [name, { kind, api }] of Object.entries(agent.providers)) {
    if (api === undefined || kind === 'openai') continue;
    throw refusal(
      `only a provider of kind openai has a choice of APIs; this one is ${kind}`,
      file,
      `providers.${name}.api`,
    );
  }
  if (!Object.hasOwn(agent.tiers, 'general')) {
    throw refusal('the tier "general" is needed: it serves directives that name no model', file, 'tiers');
  }
  return agent;
}

function refusal(message: string, file: string, path: string): SkeinError {
  return new SkeinError('invalid_config', message, { where: { file, path } });
}
