/** The types a field of an item may have. */
export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
/** One of {@link FIELD_TYPES}. */
export type FieldType = (typeof FIELD_TYPES)[number];

const CHECKS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Whether a value is of a type, without any conversion. */
export function isOfType(value: unknown, type: FieldType): boolean {
  return CHECKS[type](value);
}
