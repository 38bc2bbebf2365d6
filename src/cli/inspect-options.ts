import { SkeinError, type InspectOptions } from '../index.ts';

/** What was given of the options about looking into machines. */
type Given = {
  readonly inspect?: string | undefined;
  readonly 'inspect-directive'?: readonly string[] | undefined;
  readonly 'inspect-sample'?: string | undefined;
};

/**
 * Reads `--inspect` and what belongs to it; undefined: nobody is to look.
 *
 * @throws SkeinError `invalid_argument`
 */
export function readInspect(given: Given): InspectOptions | undefined {
  const { inspect, 'inspect-directive': directives, 'inspect-sample': share } = given;
  if (inspect === undefined) {
    if (directives === undefined && share === undefined) return undefined;
    throw new SkeinError('invalid_argument', '--inspect-directive and --inspect-sample go with --inspect');
  }
  if (inspect !== 'here' && inspect !== 'stately') {
    throw new SkeinError(
      'invalid_argument',
      `--inspect is ${JSON.stringify(inspect)}; --inspect or --inspect=stately is expected`,
    );
  }
  return {
    stately: inspect === 'stately',
    ...(directives && { directives }),
    // A run is one tree.
    ...(share !== undefined && { sample: readShare(share), sampleOf: 'children' as const }),
  };
}

function readShare(text: string): number {
  const share = Number(text);
  if (/^[\d.]+$/.test(text) && share > 0 && share <= 1) return share;
  throw new SkeinError(
    'invalid_argument',
    `--inspect-sample is ${JSON.stringify(text)}; a number above 0 and up to 1 is expected`,
  );
}
