import { JSON_TYPES } from '../core/json-type.ts';

/** The types a field of an item may have. */
export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
/** One of {@link FIELD_TYPES}. */
export type FieldType = (typeof FIELD_TYPES)[number];

/** Whether a value is of a type, without any conversion. A whole number that is too long to be read exactly is none. */
export function isOfType(value: unknown, type: FieldType): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : JSON_TYPES[type](value);
}
