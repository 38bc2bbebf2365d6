/** Most tokens a call may produce where neither the model's entry nor the provider says. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8192;

/** The entry of a model in `models`, if it is about this provider's. */
export function entryOf<Entry extends { readonly provider: string }>(
  { provider, model }: { readonly provider: string; readonly model: string },
  { models }: { readonly models: Readonly<Record<string, Entry>> },
): Entry | undefined {
  const key = [`${provider}:${model}`, model].find((name) => Object.hasOwn(models, name));
  const entry = key === undefined ? undefined : models[key];
  // A model of the same name may cost something else, or nothing, at another provider.
  return entry?.provider === provider ? entry : undefined;
}
