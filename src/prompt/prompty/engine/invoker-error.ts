import { SkeinError } from '../../../core/errors.ts';

/** S4's error for a component (`renderer`, `parser`, …) nobody has registered under a key; code `invoker_unknown`. */
export class InvokerError extends SkeinError {
  readonly component: string;
  readonly key: string;

  constructor(component: string, key: string) {
    super('invoker_unknown', `There is no ${component} "${key}"`, { detail: { component, key } });
    this.name = 'InvokerError';
    this.component = component;
    this.key = key;
  }
}
