/** How many steps comparisons may still take; once it is below 0, nothing fits. */
export type Effort = { left: number };

/** Whether one name (no slash in it) fits a compiled pattern. */
export type NameMatch = (name: string, effort: Effort) => boolean;

/** One step of a pattern: a character, a set of them, or `*`. */
type Step =
  | { readonly star: true }
  | { readonly star: false; readonly fits: (character: string, effort: Effort) => boolean };

/**
 * Compiles a pattern of one name: `*` any run, `?` one character, `[a-z]` and `[!a]` sets, `\` the next character as it
 * is. Takes at most the product of both lengths, whatever the pattern is.
 */
export function compileName(pattern: string): NameMatch {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const steps = stepsOf(pattern);
  return (name, effort) => fits(steps, name, effort);
}

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = [];
  const lastEnd = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const set = character === '[' && at < lastEnd ? SET.exec(pattern.slice(at)) : null;
    if (character === '*') steps.push({ star: true });
    else if (character === '?') steps.push({ star: false, fits: () => true });
    else if (set) {
      steps.push({ star: false, fits: setOf(set[2] ?? '', set[1] !== '') });
      at += set[0].length - 1;
    } else {
      const literal = character === '\\' ? pattern.charAt(++at) : character;
      steps.push({ star: false, fits: (other) => other === literal });
    }
  }
  return steps;
}

const SET = /^\[([!^]?)(\]?[^\]]*)\]/;

function setOf(members: string, isNegated: boolean): (character: string, effort: Effort) => boolean {
  const ranges = [...members.matchAll(/\\?([\s\S])(?:-\\?([\s\S]))?/g)].map(([, from = '', to = from]) => ({
    from,
    to,
  }));
  return (character, effort) => {
    effort.left -= ranges.length;
    return ranges.some(({ from, to }) => from <= character && character <= to) !== isNegated;
  };
}

/** Goes back to the last star only: an earlier one has nothing to gain. */
function fits(steps: readonly Step[], name: string, effort: Effort): boolean {
  let step = 0;
  let lastStar = -1;
  let retry = 0;
  for (let at = 0; at < name.length;) {
    if (--effort.left < 0) return false;
    const current = steps[step];
    if (current?.star) {
      lastStar = step++;
      retry = at;
    } else if (current?.fits(name.charAt(at), effort)) {
      step++;
      at++;
    } else if (lastStar >= 0) {
      step = lastStar + 1;
      at = ++retry;
    } else return false;
  }
  return steps.slice(step).every(({ star }) => star);
}
