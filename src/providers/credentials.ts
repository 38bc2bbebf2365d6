import { readProviderKey } from '../config/provider-key.ts';
import { SkeinError } from '../core/errors.ts';
import { own } from '../core/record.ts';

type KeySettings = {
  readonly kind: 'anthropic' | 'openai' | 'gemini';
  readonly apiKeyEnv?: string | undefined;
  /** Absolute path; counts before the variable. */
  readonly apiKeyFile?: string | undefined;
  readonly baseUrl?: string | undefined;
};

const DEFAULT_VARIABLES = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  // The second is what Google's own tools read, too.
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
} as const;

/**
 * The key of a provider from its file, or from the first of its variables that is set. Undefined only for an
 * OpenAI-compatible server that is configured without either. Throws `provider_key_missing` naming the file or the
 * variable, never its value.
 */
export function apiKeyFor(
  provider: string,
  settings: KeySettings,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (settings.apiKeyFile !== undefined) {
    return checked(readProviderKey(settings.apiKeyFile), { provider, place: settings.apiKeyFile });
  }
  if (settings.kind === 'openai' && settings.baseUrl !== undefined && settings.apiKeyEnv === undefined)
    return undefined;
  const variables = settings.apiKeyEnv === undefined ? DEFAULT_VARIABLES[settings.kind] : [settings.apiKeyEnv];
  for (const variable of variables) {
    // A line break at the end is what remains of reading the key from a file.
    const key = own(env, variable)?.trim();
    if (key) return checked(key, { provider, place: variable });
  }
  throw refuse({ provider, place: variables.join(' or ') }, 'is not set');
}

/** Whose key it is, and the variable or file it is in. */
type KeyPlace = { readonly provider: string; readonly place: string };

function checked(key: string, from: KeyPlace): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw refuse(from, 'contains characters no key has');
}

/** Refuses what is not an http(s) URL, and one with a password in it. Throws `invalid_config`. */
export function checkBaseUrl(baseUrl: string | undefined, path: string): void {
  if (baseUrl === undefined) return;
  const url = URL.parse(baseUrl);
  const fits = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  if (fits && url.username === '' && url.password === '') return;
  throw new SkeinError('invalid_config', 'A base URL is an http or https address without user and password', {
    where: { path },
  });
}

function refuse({ provider, place }: KeyPlace, problem: string): SkeinError {
  return new SkeinError('provider_key_missing', `Provider "${provider}" needs a key in ${place}, which ${problem}`, {
    detail: { provider, variable: place },
  });
}
