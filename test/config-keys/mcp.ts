import { systemClock } from '../../src/core/clock.ts';
import { createMcpTools } from '../../src/tools/mcp-tools.ts';
import { SCHEMA_VERSION, type Row } from './row.ts';

export const MCP_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  {
    path: 'servers',
    to: () => ({ files: { command: 'npx' } }),
    sees: ({ config }) => {
      const around = { projectPath: '/project', env: {}, clock: systemClock, onProblem: () => undefined };
      return createMcpTools({ config: config.mcp, ...around }).find('mcp/files/read')?.id;
    },
  },
];
