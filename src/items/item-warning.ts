import type { ErrorPlace, SkeinErrorCode } from '../core/errors.ts';

/**
 * What nobody asked for but somebody should know. `invalid_item`: what was ignored in an item, told once per reading.
 * `item_unsigned`: how many of the listed tools of a space no trusted key signed, told once per space.
 */
export type ItemWarning = {
  readonly code: Extract<SkeinErrorCode, 'invalid_item' | 'item_unsigned'>;
  readonly message: string;
  /** The file; for a whole space the setting `trust.SPACE`. */
  readonly where: ErrorPlace;
};
