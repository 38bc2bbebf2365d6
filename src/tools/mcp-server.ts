import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { isPrimaryAction } from '../items/action.ts';
import type { ActionCall, McpActions } from './mcp-actions.ts';
import type { PrimaryResult } from './primary-result.ts';

/** What a server says about itself. */
export type ServerInfo = { readonly name: string; readonly version: string };

/**
 * Makes an MCP server of the primary actions, for one connection. The result of a call is the object of S2 §7.6, as
 * structured content and as JSON text; a request that is cancelled ends what it started.
 */
export function createMcpServer(actions: McpActions, info: ServerInfo): McpServer {
  const mcp = new McpServer(info, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  // The schemas are JSON Schema already, which the convenient way of registering tools does not take.
  const { server } = mcp;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: actions.offered.map(({ name, description, inputSchema, readOnly }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
      annotations: { readOnlyHint: readOnly },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: input = {} } = params;
    if (!isPrimaryAction(name)) throw noTool(name, actions);
    return toolResult(await perform(actions, { name, input }, signal));
  });
  return mcp;
}

const INSTRUCTIONS =
  'Skein keeps directives, tools and knowledge as items in files. Find items with search, read them with load or fetch, ' +
  'run them with execute. A result with status "error" says in code and error what is missing.';

function noTool(name: string, { offered }: McpActions): McpError {
  const known = offered.map((action) => action.name).join(', ');
  return new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}; there are ${known}`);
}

async function perform(actions: McpActions, call: ActionCall, signal: AbortSignal): Promise<PrimaryResult> {
  signal.throwIfAborted();
  const ended = Promise.withResolvers<PrimaryResult>();
  const running = actions.call(call, ended.resolve);
  const cancel = (): void => {
    running?.abort();
    ended.reject(new McpError(ErrorCode.ConnectionClosed, 'The request was cancelled'));
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function toolResult(result: PrimaryResult): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(result) }],
    structuredContent: { ...result },
    isError: result.status === 'error',
  };
}
