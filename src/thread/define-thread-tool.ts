import { z } from 'zod';
import type { RunningTool, ToolOutcome } from '../core/tool.ts';
import type { ThreadTool, ThreadToolCall } from './thread-tools.ts';

/** What a thread tool is made of. */
export type ThreadToolDefinition<Input extends z.ZodObject> = {
  readonly id: string;
  readonly description: string;
  readonly input: Input;
  readonly run: (
    call: ThreadToolCall & { readonly input: z.infer<Input> },
    done: (outcome: ToolOutcome) => void,
  ) => RunningTool | undefined;
};

/** Makes a thread tool: its input is checked before it runs. */
export function defineThreadTool<Input extends z.ZodObject>(definition: ThreadToolDefinition<Input>): ThreadTool {
  const { id, description, input: schema, run } = definition;
  return {
    id,
    description,
    inputSchema: z.toJSONSchema(schema, { io: 'input' }),
    idempotent: false,
    run(_input, _caller, done) {
      done({ ok: false, failure: { code: 'tool_failed', message: `${id} runs inside a thread only` } });
      return undefined;
    },
    runFor(call, done) {
      const parsed = schema.safeParse(call.call.input);
      if (parsed.success) return run({ ...call, input: parsed.data }, done);
      done({ ok: false, failure: { code: 'tool_input_invalid', message: z.prettifyError(parsed.error) } });
      return undefined;
    },
  };
}
