import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionContentPartRefusal,
  ChatCompletionContentPartText,
  ChatCompletionCreateParamsBase,
  ChatCompletionCustomTool,
  ChatCompletionDeveloperMessageParam,
  ChatCompletionFunctionMessageParam,
  ChatCompletionFunctionTool,
  ChatCompletionMessageCustomToolCall,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionStreamOptions,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionDefinition } from 'openai/resources/shared';
import * as z from 'zod';
import { unread, unreadKinds, type FieldNames, type Fields, type Words } from './fields.ts';

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  prompt_cache_breakpoint: unread(),
} satisfies Fields<ChatCompletionContentPartText>);
const refusal = z.strictObject({
  type: z.literal('refusal'),
  refusal: z.string(),
} satisfies Fields<ChatCompletionContentPartRefusal>);
const media = unreadKinds({
  image_url: 'image_url',
  input_audio: 'input_audio',
  file: 'file',
} satisfies Words<Exclude<ChatCompletionContentPart['type'], 'text'>>);

const texts = z.union([z.string(), z.array(text).min(1)]);
const name = z.string().exactOptional();

/** OpenAI's own pattern; what it allows stands in the message. */
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "expected a string that matches '^[a-zA-Z0-9_-]{1,64}$'");

const toolCall = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    id: z.string().min(1),
    function: z.strictObject({ name: toolName, arguments: z.string() } satisfies Fields<
      ChatCompletionMessageFunctionToolCall['function']
    >),
  } satisfies Fields<ChatCompletionMessageFunctionToolCall>),
  z.strictObject({
    type: z.literal('custom'),
    id: z.string().min(1),
    custom: z.strictObject({ name: z.string(), input: z.string() } satisfies Fields<
      ChatCompletionMessageCustomToolCall['custom']
    >),
  } satisfies Fields<ChatCompletionMessageCustomToolCall>),
]);

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('developer'),
    content: texts,
    name,
  } satisfies FieldNames<ChatCompletionDeveloperMessageParam>),
  z.strictObject({
    role: z.literal('system'),
    content: texts,
    name,
  } satisfies FieldNames<ChatCompletionSystemMessageParam>),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, media])).min(1)]),
    name,
  } satisfies FieldNames<ChatCompletionUserMessageParam>),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refusal])).min(1)]).nullish(),
    tool_calls: z.array(toolCall).min(1, 'expected an array with at least one element').exactOptional(),
    name,
    audio: unread(),
    function_call: unread(),
    refusal: unread(),
    reasoning_content: unread(),
  } satisfies FieldNames<ChatCompletionAssistantMessageParam & { reasoning_content: string }>),
  z.strictObject({
    role: z.literal('tool'),
    content: texts,
    tool_call_id: z.string().min(1),
  } satisfies FieldNames<ChatCompletionToolMessageParam>),
  z.strictObject({
    role: z.literal('function'),
    content: z.string().nullable(),
    name: z.string(),
  } satisfies Fields<ChatCompletionFunctionMessageParam>),
]);

const functionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: toolName,
    description: z.string().exactOptional(),
    parameters: z.record(z.string(), z.unknown()).exactOptional(),
    strict: unread(),
  } satisfies Fields<FunctionDefinition>),
} satisfies Fields<ChatCompletionFunctionTool>);
const customTool = z.strictObject({
  type: z.literal('custom'),
  custom: z.looseObject({ name: toolName }),
} satisfies FieldNames<ChatCompletionCustomTool>);

const tokens = z.int().min(1, 'expected a value >= 1').nullish();

/** The body of `POST /v1/chat/completions`, as the API takes it. */
export const openaiChatBody = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, 'expected an array with at least one element'),
  max_completion_tokens: tokens,
  max_tokens: tokens,
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().exactOptional(),
      include_obfuscation: z.boolean().exactOptional(),
    } satisfies Fields<ChatCompletionStreamOptions>)
    .nullish(),
  tools: z
    .array(z.discriminatedUnion('type', [functionTool, customTool]))
    .min(1, 'expected an array with at least one element')
    .exactOptional(),
  temperature: z.number().min(0).max(2).nullish(),
  audio: unread(),
  frequency_penalty: unread(),
  function_call: unread(),
  functions: unread(),
  logit_bias: unread(),
  logprobs: unread(),
  metadata: unread(),
  modalities: unread(),
  moderation: unread(),
  n: z.literal(1, 'the scripted model gives one answer').nullish(),
  parallel_tool_calls: unread(),
  prediction: unread(),
  presence_penalty: unread(),
  prompt_cache_key: unread(),
  prompt_cache_options: unread(),
  prompt_cache_retention: unread(),
  reasoning_effort: unread(),
  response_format: unread(),
  safety_identifier: unread(),
  seed: unread(),
  service_tier: unread(),
  stop: unread(),
  store: unread(),
  tool_choice: unread(),
  top_logprobs: unread(),
  top_p: unread(),
  user: unread(),
  verbosity: unread(),
  web_search_options: unread(),
} satisfies FieldNames<ChatCompletionCreateParamsBase>);

/** A body that was checked. */
export type OpenaiChatBody = z.output<typeof openaiChatBody>;
