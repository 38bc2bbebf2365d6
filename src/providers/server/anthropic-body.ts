import type {
  BetaThinkingBlockBinding,
  BetaThinkingConfigAdaptive,
  BetaThinkingConfigEnabled,
} from '@anthropic-ai/sdk/resources/beta/messages';
import type {
  AssistantMessageParam,
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsBase,
  RedactedThinkingBlockParam,
  SystemMessageParam,
  TextBlockParam,
  ThinkingBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
  UserMessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import * as z from 'zod';
import { unread, unreadKinds, type FieldNames, type Fields, type Words } from './fields.ts';

const cacheControl = z
  .strictObject({
    type: z.literal('ephemeral'),
    ttl: z.enum(['5m', '1h']).exactOptional(),
  } satisfies Fields<CacheControlEphemeral>)
  .nullish();

const text = z.strictObject({
  type: z.literal('text'),
  text: z
    .string()
    .min(1, 'text content blocks must be non-empty')
    .regex(/\S/, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheControl,
  citations: unread(),
} satisfies Fields<TextBlockParam>);

const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'"),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
  caller: unread(),
  toolset_name: unread(),
} satisfies Fields<ToolUseBlockParam>);

const thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
} satisfies Fields<ThinkingBlockParam>);

const redactedThinking = z.strictObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
} satisfies Fields<RedactedThinkingBlockParam>);

const MEDIA: Words<'image' | 'document' | 'search_result'> = {
  image: 'image',
  document: 'document',
  search_result: 'search_result',
};
type ResultPart = Exclude<ToolResultBlockParam['content'], string | undefined>[number]['type'];
const IN_RESULT: Words<Exclude<ResultPart, 'text'>> = {
  ...MEDIA,
  tool_reference: 'tool_reference',
  browser_state: 'browser_state',
};

const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, unreadKinds(IN_RESULT)]))]).exactOptional(),
  is_error: z.boolean().exactOptional(),
  cache_control: cacheControl,
  toolset_name: unread(),
} satisfies FieldNames<ToolResultBlockParam>);

type KnownBlock = 'text' | 'tool_use' | 'tool_result' | 'thinking' | 'redacted_thinking';
const OTHER_BLOCKS: Words<Exclude<ContentBlockParam['type'], KnownBlock>> = {
  ...MEDIA,
  server_tool_use: 'server_tool_use',
  web_search_tool_result: 'web_search_tool_result',
  web_fetch_tool_result: 'web_fetch_tool_result',
  code_execution_tool_result: 'code_execution_tool_result',
  bash_code_execution_tool_result: 'bash_code_execution_tool_result',
  text_editor_code_execution_tool_result: 'text_editor_code_execution_tool_result',
  tool_search_tool_result: 'tool_search_tool_result',
  container_upload: 'container_upload',
};

const block = z.discriminatedUnion('type', [
  text,
  toolUse,
  toolResult,
  thinking,
  redactedThinking,
  unreadKinds(OTHER_BLOCKS),
]);
const content = z.union([z.string(), z.array(block)]);

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content } satisfies FieldNames<UserMessageParam>),
  z.strictObject({ role: z.literal('assistant'), content } satisfies FieldNames<AssistantMessageParam>),
  z.strictObject({
    role: z.literal('system'),
    content: z.union([z.string(), z.array(text)]),
  } satisfies FieldNames<SystemMessageParam>),
]);

const customTool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
  input_schema: z.looseObject({
    type: z.literal('object'),
    properties: z
      .record(z.string(), z.unknown())
      .refine((properties) => Object.keys(properties).every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)), {
        error: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
      })
      .nullish(),
  }),
  description: z.string().exactOptional(),
  type: z.literal('custom').nullish(),
  cache_control: cacheControl,
  allowed_callers: unread(),
  defer_loading: unread(),
  eager_input_streaming: unread(),
  input_examples: unread(),
  strict: unread(),
} satisfies FieldNames<Tool>);

/** A tool that the provider runs itself, by its dated type. */
const ownTool = z.looseObject({ type: z.string().regex(/_\d{8}$/) });

const blockBinding = z
  .strictObject({
    prefix_mismatch_behavior: z.enum(['error', 'drop_block']).nullable().exactOptional(),
  } satisfies Fields<BetaThinkingBlockBinding>)
  .nullish();

const thinkingConfig = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1024, 'Input should be greater than or equal to 1024'),
    display: unread(),
    block_binding: blockBinding,
  } satisfies Fields<BetaThinkingConfigEnabled>),
  z.strictObject({
    type: z.literal('adaptive'),
    display: unread(),
    block_binding: blockBinding,
  } satisfies Fields<BetaThinkingConfigAdaptive>),
  unreadKinds({
    disabled: 'disabled',
    between_tools: 'between_tools',
  } satisfies Words<Exclude<ThinkingConfigParam['type'], 'enabled' | 'adaptive'>>),
]);

/** The body of `POST /v1/messages`, as the API takes it. */
export const anthropicBody = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1, 'Input should be greater than or equal to 1'),
  messages: z.array(message).min(1, 'at least one message is required'),
  system: z.union([z.string(), z.array(text)]).exactOptional(),
  tools: z.array(z.union([customTool, ownTool])).exactOptional(),
  thinking: thinkingConfig.exactOptional(),
  stream: z.boolean().exactOptional(),
  cache_control: cacheControl,
  container: unread(),
  diagnostics: unread(),
  inference_geo: unread(),
  metadata: unread(),
  output_config: unread(),
  service_tier: unread(),
  speed: unread(),
  stop_sequences: unread(),
  tool_choice: unread(),
  user_profile_id: unread(),
  workspace_id: unread(),
} satisfies FieldNames<MessageCreateParamsBase>);

/** A body that was checked. */
export type AnthropicBody = z.output<typeof anthropicBody>;
/** A block of a message that was checked. */
export type AnthropicBlock = z.output<typeof block>;
/** A tool of the caller's that was checked. */
export type AnthropicTool = z.output<typeof customTool>;
