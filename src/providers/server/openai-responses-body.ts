import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsBase,
  ResponseFunctionCallOutputItem,
  ResponseFunctionToolCall,
  ResponseInputContent,
  ResponseInputItem,
  ResponseInputText,
  ResponseInputTextContent,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
  Tool,
} from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import * as z from 'zod';
import { unread, unreadKinds, type FieldNames, type Fields, type Words } from './fields.ts';

const inputText = z.strictObject({
  type: z.literal('input_text'),
  text: z.string(),
  prompt_cache_breakpoint: unread(),
} satisfies Fields<ResponseInputText> & Fields<ResponseInputTextContent>);
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: unread(),
  logprobs: unread(),
} satisfies FieldNames<ResponseOutputText>);
const refusal = z.strictObject({
  type: z.literal('refusal'),
  refusal: z.string(),
} satisfies Fields<ResponseOutputRefusal>);
const media = unreadKinds({
  input_image: 'input_image',
  input_file: 'input_file',
} satisfies Words<Exclude<(ResponseInputContent | ResponseFunctionCallOutputItem)['type'], 'input_text'>>);

const status = z.enum(['in_progress', 'completed', 'incomplete']);
type MessageField = keyof EasyInputMessage | keyof ResponseInputItem.Message | keyof ResponseOutputMessage;

const message = z.strictObject({
  type: z.literal('message').exactOptional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, outputText, refusal, media]))]),
  id: z.string().exactOptional(),
  status: status.exactOptional(),
  phase: unread(),
} satisfies Readonly<Record<MessageField, z.ZodType>>);

const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "expected a string that matches '^[a-zA-Z0-9_-]+$'");

const functionCall = z.strictObject({
  type: z.literal('function_call'),
  call_id: z.string().min(1),
  name: toolName,
  arguments: z.string(),
  id: z.string().exactOptional(),
  status: status.exactOptional(),
  async: unread(),
  caller: unread(),
  namespace: unread(),
} satisfies Fields<ResponseFunctionToolCall>);

const functionCallOutput = z.strictObject({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1),
  output: z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, media]))]),
  id: z.string().nullish(),
  status: status.nullish(),
  caller: unread(),
  name: unread(),
  namespace: unread(),
} satisfies FieldNames<ResponseInputItem.FunctionCallOutput>);

const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: z.string().min(1),
  summary: z.array(
    z.strictObject({
      type: z.literal('summary_text'),
      text: z.string(),
    } satisfies Fields<ResponseReasoningItem.Summary>),
  ),
  encrypted_content: z.string().nullish(),
  status: status.exactOptional(),
  content: unread(),
} satisfies FieldNames<ResponseReasoningItem>);

type Known = 'message' | 'function_call' | 'function_call_output' | 'reasoning';
const OTHER_ITEMS: Words<Exclude<NonNullable<ResponseInputItem['type']>, Known>> = {
  file_search_call: 'file_search_call',
  computer_call: 'computer_call',
  computer_call_output: 'computer_call_output',
  web_search_call: 'web_search_call',
  tool_search_call: 'tool_search_call',
  tool_search_output: 'tool_search_output',
  additional_tools: 'additional_tools',
  configuration_update: 'configuration_update',
  compaction: 'compaction',
  image_generation_call: 'image_generation_call',
  code_interpreter_call: 'code_interpreter_call',
  local_shell_call: 'local_shell_call',
  local_shell_call_output: 'local_shell_call_output',
  shell_call: 'shell_call',
  shell_call_output: 'shell_call_output',
  apply_patch_call: 'apply_patch_call',
  apply_patch_call_output: 'apply_patch_call_output',
  mcp_list_tools: 'mcp_list_tools',
  mcp_approval_request: 'mcp_approval_request',
  mcp_approval_response: 'mcp_approval_response',
  mcp_call: 'mcp_call',
  custom_tool_call_output: 'custom_tool_call_output',
  custom_tool_call: 'custom_tool_call',
  compaction_trigger: 'compaction_trigger',
  item_reference: 'item_reference',
  program: 'program',
  program_output: 'program_output',
};

const item = z.discriminatedUnion('type', [
  message,
  functionCall,
  functionCallOutput,
  reasoning,
  unreadKinds(OTHER_ITEMS),
]);

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: toolName,
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
  description: z.string().nullish(),
  allowed_callers: unread(),
  async: unread(),
  defer_loading: unread(),
  output_schema: unread(),
} satisfies Fields<FunctionTool>);

const OTHER_TOOLS: Words<Exclude<Tool['type'], 'function'>> = {
  apply_patch: 'apply_patch',
  code_interpreter: 'code_interpreter',
  computer: 'computer',
  computer_use_preview: 'computer_use_preview',
  custom: 'custom',
  file_search: 'file_search',
  image_generation: 'image_generation',
  local_shell: 'local_shell',
  mcp: 'mcp',
  namespace: 'namespace',
  programmatic_tool_calling: 'programmatic_tool_calling',
  shell: 'shell',
  tool_search: 'tool_search',
  web_search: 'web_search',
  web_search_2025_08_26: 'web_search_2025_08_26',
  web_search_preview: 'web_search_preview',
  web_search_preview_2025_03_11: 'web_search_preview_2025_03_11',
};

/** The body of `POST /v1/responses`, as the API takes it. */
export const openaiResponsesBody = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(16, 'expected a value >= 16').nullish(),
  previous_response_id: z.string().nullish(),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, unreadKinds(OTHER_TOOLS)])).exactOptional(),
  temperature: z.number().min(0).max(2).nullish(),
  reasoning: z
    .strictObject({
      context: unread(),
      effort: unread(),
      generate_summary: unread(),
      mode: unread(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    } satisfies FieldNames<Reasoning>)
    .nullish(),
  access_programs: unread(),
  background: unread(),
  context_management: unread(),
  conversation: unread(),
  image: unread(),
  max_tool_calls: unread(),
  metadata: unread(),
  moderation: unread(),
  parallel_tool_calls: unread(),
  prompt: unread(),
  prompt_cache_key: unread(),
  prompt_cache_options: unread(),
  prompt_cache_retention: unread(),
  safety_identifier: unread(),
  service_tier: unread(),
  store: unread(),
  stream_options: unread(),
  text: unread(),
  tool_choice: unread(),
  top_logprobs: unread(),
  top_p: unread(),
  truncation: unread(),
  user: unread(),
} satisfies FieldNames<ResponseCreateParamsBase>);

/** A body that was checked. */
export type OpenaiResponsesBody = z.output<typeof openaiResponsesBody>;
/** An item of the input that was checked. */
export type OpenaiResponsesItem = z.output<typeof item>;
