import * as z from 'zod';
import { section, variableName } from '../config/section.ts';
import { envNames, parseChainConfig, resultBytes, seconds } from './chain-config.ts';
import type { Chain } from './execution-chain.ts';
import { interpreterSchema } from './interpreter.ts';

const schema = section({
  config: section({
    /** A word with `${interpreter} ${project_path} ${runners}`: an absolute path, or a name on PATH. */
    command: z.string().min(1),
    /** Words with those variables and `${file} ${memory_mb} ${params} ${params.*}`. No shell reads them. */
    args: z.array(z.string()).max(1000).optional(),
    /** What is on stdin: `{file, params, project_path}` as JSON, or the params alone as JSON, or nothing. */
    input: z.enum(['request', 'params', 'none']),
    /**
     * `channel`: a reply on fd 3, as the runners write it; `stdout`: what is printed, as JSON if it is JSON, else as text, as is a
     * lone number of more digits than one can hold.
     */
    result: z.enum(['channel', 'stdout']),
    timeout_seconds: seconds,
    /** What the tool may allocate; 0 = no limit. */
    memory_mb: z.int().min(0).max(1_048_576),
    /** What the interpreter takes for itself before a tool allocates anything. */
    memory_overhead_mb: z.int().min(0).max(65_536),
    max_output_bytes: resultBytes,
    /** Further environment variables to pass on (`grantedNames`). */
    env: envNames.optional(),
  }),
  env_config: section({
    interpreter: interpreterSchema.optional(),
    /** Variables with fixed values. */
    env: z.record(variableName, z.string()).optional(),
  }).optional(),
});

/** How a chain that ends in `rye/core/primitives/subprocess` runs its tool. */
export type SubprocessConfig = z.output<typeof schema>;

/** Reads a chain's settings. @throws SkeinError `invalid_item` */
export function subprocessConfig(chain: Chain): SubprocessConfig {
  return parseChainConfig(chain, schema);
}
