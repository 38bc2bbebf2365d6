import { SkeinError, type ErrorPlace, type SkeinErrorCode } from '../../../core/errors.ts';

/** The codes a {@link ValueError} carries. */
export type ValueErrorCode = Extract<SkeinErrorCode, `template_${string}` | 'missing_input' | 'invalid_input'>;

/**
 * S4's error for a template or its inputs: `template_syntax` (what can't be read or is not supported, with line and column),
 * `template_value` (a value an operation can't take), `template_too_large`, the three budgets, and inputs that are missing
 * or wrong.
 */
export class ValueError extends SkeinError {
  constructor(code: ValueErrorCode, message: string, where?: ErrorPlace) {
    super(code, message, where && { where });
    this.name = 'ValueError';
  }
}
