import { types } from 'node:util';
import { toFailure, type Failure } from '../../core/errors.ts';

/** A caller's listener that harms nobody: what it throws, at once or as its promise, is told to `fail`. */
export function harmless<Argument>(
  listener: (argument: Argument) => unknown,
  fail: (failure: Failure) => void,
): (argument: Argument) => void {
  const failed = (thrown: unknown): void => fail(toFailure(thrown));
  return (argument) => {
    try {
      const result = listener(argument);
      if (types.isPromise(result)) result.catch(failed);
    } catch (thrown) {
      failed(thrown);
    }
  };
}
