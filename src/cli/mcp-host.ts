import { randomBytes } from 'node:crypto';
import { createDirectiveTemplates } from '../prompt/prompty/directive-templates.ts';
import { once } from 'node:events';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SYSTEM_DIR } from '../config/default-places.ts';
import { secretValues } from '../config/secret-values.ts';
import { systemClock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import { createRedactor, type Redactor } from '../core/redactor.ts';
import { createRuntime, describeFailure, type Runtime } from '../index.ts';
import { withUserSpace } from '../tools/child-env.ts';
import { createItemServices, type ItemServices } from '../tools/item-services.ts';
import { createMcpActions, type McpActions } from '../tools/mcp-actions.ts';
import { serveMcpHttp, type McpHttp } from '../tools/mcp-http.ts';
import { createMcpRights } from '../tools/mcp-rights.ts';
import { createMcpServer } from '../tools/mcp-server.ts';
import { createMcpTools } from '../tools/mcp-tools.ts';
import type { CliIo, Streams } from './io.ts';
import type { ItemPlaces } from './item-places.ts';
import { createMcpThreads } from './mcp-threads.ts';
import { packageVersion } from '../core/package-version.ts';
import type { Scripts } from './script-file.ts';

/** What `skein mcp` works with. */
export type McpHostOptions = {
  readonly places: ItemPlaces;
  /** Capabilities beyond the default ones. */
  readonly allow: readonly string[];
  /** Of the scripted model, for threads. */
  readonly scripts: Scripts;
  readonly env: CliIo['env'];
  /** Tells the user something. */
  readonly say: (line: string) => void;
};

/**
 * Items, tools and threads of a project behind MCP servers; disposing it ends all of them, and what they run: a thread whose
 * request is open then is cancelled.
 */
export interface McpHost extends AsyncDisposable {
  /** Serves one client over streams, until the client ends them. */
  talk(streams: Streams): Promise<void>;
  /** Serves clients over HTTP; resolves to the URL. @throws SkeinError `invalid_argument` for a port that can't be had */
  listen(at: { readonly port: number; readonly token: string }): Promise<string>;
  /** Suspends the threads that run, after two seconds in which they may end; who waits for them is told. */
  suspend(): Promise<void>;
}

/**
 * Wires an MCP host.
 *
 * @throws SkeinError `invalid_argument` for a capability that can't be one
 */
export function createMcpHost({ places, allow, scripts, env, say }: McpHostOptions): McpHost {
  const rights = createMcpRights(allow);
  const { projectPath, config } = places;
  const redactor = createRedactor(secretValues(config, env));
  const onProblem = (failure: Failure): void => say(redactor.text(describeFailure(failure)));
  const toolEnv = withUserSpace(env, places.userSpace);
  const mcp = createMcpTools({ config: config.mcp, projectPath, env: toolEnv, clock: systemClock, onProblem });
  const threads = createMcpThreads({
    config,
    items: () => services.items,
    start: () => startRuntime(places, { env, scripts }, onProblem),
  });
  const services: ItemServices = createItemServices({
    ...places,
    systemDir: SYSTEM_DIR,
    env,
    clock: systemClock,
    registered: (id) => threads.tool(id) ?? mcp.find(id),
    renderTemplate: createDirectiveTemplates(randomBytes).bodyOf,
    onProblem,
  });
  const actions = withoutSecrets(createMcpActions({ dispatcher: services.dispatcher, rights, projectPath }), redactor);
  const createServer = (): McpServer => createMcpServer(actions, { name: 'skein', version: packageVersion() });
  const ends: (() => Promise<void>)[] = [];
  return {
    async talk(streams) {
      const server = createServer();
      server.server.onerror = ({ message }) => say(`MCP client: ${message.slice(0, MAX_TOLD)}`);
      ends.push(() => server.close());
      await serveUntilEnd(server, streams);
    },
    async listen(at) {
      const report = (message: string): void => say(`HTTP: ${message}`);
      const http: McpHttp = await serveMcpHttp({ ...at, createServer, clock: systemClock, onProblem: report });
      ends.push(() => http.close());
      return http.url;
    },
    suspend: () => threads.close(),
    async [Symbol.asyncDispose]() {
      // First nobody can ask for more, then what is asked for ends.
      await Promise.all(ends.map((end) => end()));
      await Promise.all([threads.close(), mcp.close()]);
      services.close();
    },
  };
}

/** What clients are answered leaves memory here. */
function withoutSecrets(actions: McpActions, redactor: Redactor): McpActions {
  return { ...actions, call: (call, done) => actions.call(call, (result) => done(redactor.data(result))) };
}

/** Of what is wrong with what a client said. */
const MAX_TOLD = 500;

async function serveUntilEnd(server: McpServer, { stdin, stdout }: Streams): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.server.onclose = closed.resolve;
  const ended = Promise.race([once(stdin, 'end'), once(stdin, 'close'), closed.promise]);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
}

async function startRuntime(
  { projectPath, userSpace }: ItemPlaces,
  options: Pick<McpHostOptions, 'env' | 'scripts'>,
  onProblem: (failure: Failure) => void,
): Promise<Runtime> {
  const runtime = await createRuntime({ project: projectPath, userSpace: userSpace ?? false, ...options });
  runtime.on<'problem'>('problem', onProblem);
  return runtime;
}
