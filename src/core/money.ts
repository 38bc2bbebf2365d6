import { SkeinError } from './errors.ts';

/** An amount of money: a whole number of nano-USD (10⁻⁹ USD). All sums, tables and messages use this unit. */
export type NanoUsd = number;

/** Nano-USD in one USD. */
export const NANO_PER_USD = 1_000_000_000;

/** The largest amount that is exact in a JavaScript number: about 9 million USD. */
export const MAX_NANO_USD: NanoUsd = Number.MAX_SAFE_INTEGER;

/** Converts decimal USD (YAML, XML, a person) to nano-USD, rounding up so that a cost is never understated. */
export function usdToNano(usd: number): NanoUsd {
  const nano = Math.ceil(Number((usd * NANO_PER_USD).toPrecision(15)));
  if (!Number.isSafeInteger(nano) || nano < 0) {
    throw new SkeinError(
      'invalid_argument',
      `${usd} USD is not an amount between 0 and ${MAX_NANO_USD / NANO_PER_USD}`,
    );
  }
  return nano;
}

/** Prices are given in USD per million tokens, and counted in nano-USD per token: a fraction stays one, without float noise. */
export function usdPerMillionToNano(usd: number): number {
  return Number((usd * (NANO_PER_USD / 1_000_000)).toPrecision(15));
}

/** Converts nano-USD to decimal USD, for YAML, payloads that S2 defines in USD, and the screen. */
export function nanoToUsd(nano: NanoUsd): number {
  return nano / NANO_PER_USD;
}

/** `$0.0042`: at least two and at most six decimals, for a person. */
export function formatUsd(nano: NanoUsd): string {
  const [whole = '0', decimals = ''] = nanoToUsd(nano).toFixed(6).split('.');
  return `$${whole}.${decimals.replace(/0{1,4}$/, '')}`;
}
