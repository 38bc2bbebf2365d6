import { z } from 'zod';
import { SPACE_NAMES } from './item.ts';

const part = z.object({
  /**
   * `hook`: a hook's id; `knowledge`: an item of a `<context>`; `directive`: the rendered directive. `image`, `file`, `audio`:
   * what its template shows beside its text. `tools`: what a model that calls tools in text is told of them.
   */
  kind: z.enum(['hook', 'knowledge', 'directive', 'image', 'file', 'audio', 'tools']),
  /** As events name it. */
  source: z.string(),
  /** The knowledge item whose text it is, and the space it was found in. */
  item: z.string().optional(),
  space: z.enum(SPACE_NAMES).optional(),
  /** The directive of the chain whose `<context>` has the item. */
  declaredBy: z.string().optional(),
  /** Of what is no text: where it is, or how many bytes it has, and what they are. Its `text` is empty. */
  url: z.string().optional(),
  size: z.int().optional(),
  mediaType: z.string().optional(),
  text: z.string(),
  tokens: z.int(),
});

const message = z.object({ text: z.string(), tokens: z.int(), parts: z.array(part) });

const tool = z.object({
  name: z.string(),
  /** Item id of the tool. */
  id: z.string(),
  /** The primary action that a call is routed to (S3 layer 1). */
  primary: z.enum(['execute', 'search', 'load', 'sign', 'fetch']),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  /** 0 where the system message has what is told of it. */
  tokens: z.int(),
});

/** A prompt in tiers: what each tier has, and the messages of the first request with their cache marks. */
const tiered = z.object({
  policy: z.string(),
  tiers: z.array(z.object({ tier: z.string(), tokens: z.int(), symbols: z.int(), files: z.int() })),
  messages: z.array(
    z.object({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      tokens: z.int(),
      isMarked: z.boolean(),
      /** Its first line. */
      begins: z.string(),
    }),
  ),
});

/** The schema of {@link PromptPreview}. */
export const promptPreviewSchema = z.object({
  directive: z.string(),
  /** What it extends, root first. */
  extends: z.array(z.string()),
  /** `provider:model`. */
  model: z.string(),
  capabilities: z.array(z.array(z.string())),
  system: message,
  /** The first user message. */
  message,
  /** How the request stands in tiers; absent for a flat prompt. */
  tiers: tiered.optional(),
  tools: z.array(tool),
  /** Tools that the thread may call but that do not fit `tool_preload.max_tokens`. */
  leftOut: z.array(z.string()),
  /** What a preview can not see, where it matters. */
  notes: z.array(z.string()),
  warnings: z.array(z.object({ code: z.string(), message: z.string(), where: z.string().optional() })),
});

/** What a thread would send with its first call. Tokens are estimates, as budgets are reserved by: never too few. */
export type PromptPreview = z.infer<typeof promptPreviewSchema>;
/** A message of a {@link PromptPreview}. */
export type PreviewMessage = PromptPreview['message'];
/** A piece of such a message, and where it is from. */
export type PreviewPart = PreviewMessage['parts'][number];
