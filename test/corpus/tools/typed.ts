type Params = { readonly text: string; readonly times?: number };

export const __version__: string = '1.0.0';
export const __tool_type__ = 'node' as const;
export const __category__ = 'text';
export const __tool_description__ = 'Repeats a text';

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1 },
    times: { type: 'integer', minimum: 1, default: 2 },
  },
  required: ['text'],
} as const satisfies object;

export function execute<T extends Params>({ text, times = 2 }: T): { readonly text: string } {
  return { text: text.repeat(times) };
}
