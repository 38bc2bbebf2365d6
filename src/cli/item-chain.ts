import { type Failure, SkeinError, toFailure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { Env } from '../tools/child-env.ts';
import { type WireChain, wireChain } from '../tools/describe-chain.ts';
import { type Chain, resolveChain, type ToolLookup } from '../tools/execution-chain.ts';
import { grantedNames } from '../tools/granted-env.ts';
import { httpClientConfig } from '../tools/http-client-config.ts';
import { checkHttpWords } from '../tools/http-client-order.ts';
import { compileInputCheck } from '../tools/input-check.ts';
import { findInterpreter } from '../tools/interpreter.ts';
import { processOrder } from '../tools/process-order.ts';
import { subprocessConfig } from '../tools/subprocess-config.ts';

/** How a tool is run, spelled as in its files: the chain, and what its settings come to before any params are known. */
export type ChainView = WireChain & {
  readonly settings: Readonly<Record<string, unknown>>;
};

/** What following a chain works with. */
export type ChainPlaces = {
  readonly lookup: ToolLookup;
  readonly projectPath: string;
  readonly env: Env;
  /** `tools.env` of agent.yaml. */
  readonly envNames: readonly string[];
  /** Where the runners are. */
  readonly runnersDir: string;
};

/** Follows a tool's chain and starts nothing; what would keep a call from being started is the failure. */
export function viewChain(tool: ToolItem, places: ChainPlaces): ChainView | Failure {
  try {
    compileInputCheck(tool.inputSchema);
    const chain = resolveChain(tool, places.lookup);
    return { ...wireChain(chain), settings: settingsOf(chain, places) };
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    const failure = toFailure(thrown);
    return { ...failure, where: { file: tool.file, ...failure.where } };
  }
}

function settingsOf(chain: Chain, places: ChainPlaces): ChainView['settings'] {
  switch (chain.primitive) {
    case 'subprocess':
      return { ...processSettings(chain, places), env: grantedNames(chain, places) };
    case 'http_client':
      return { ...requestSettings(chain, places), env: grantedNames(chain, places) };
    case 'thread':
      return {};
  }
}

function processSettings(chain: Chain, places: ChainPlaces): ChainView['settings'] {
  const { projectPath, env } = places;
  // No params keep a process from being started: what is refused without them is refused with any.
  processOrder(chain, { ...places, nodePath: process.execPath }, { params: {}, caller: { projectPath } });
  const { config, envConfig } = subprocessConfig(chain);
  const interpreter = envConfig?.interpreter;
  return {
    ...(interpreter && {
      interpreter: findInterpreter(interpreter, { projectPath, env, nodePath: process.execPath }),
    }),
    command: config.command,
    args: config.args ?? [],
    input: config.input,
    result: config.result,
    timeout_seconds: config.timeoutSeconds,
    memory_mb: config.memoryMb,
    max_output_bytes: config.maxOutputBytes,
  };
}

function requestSettings(chain: Chain, places: ChainPlaces): ChainView['settings'] {
  const config = httpClientConfig(chain);
  checkHttpWords(chain, places);
  return {
    method: config.method,
    url: config.url,
    headers: Object.keys(config.headers ?? {}),
    result: config.result,
    timeout_seconds: config.timeoutSeconds,
    max_bytes: config.maxBytes,
    max_redirects: config.maxRedirects,
  };
}
