import type { Assembly } from './assembly.ts';
import type { JsonType } from './json-type.ts';
import type { LimitOverrides } from './limits.ts';
import type { PromptyAgent } from './prompty-agent.ts';

/** Kinds of item (S2 §1). */
export const ITEM_KINDS = ['directive', 'tool', 'knowledge'] as const;
/** One of {@link ITEM_KINDS}. */
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Where items are, in the order of precedence: an item is that of the first space that has it (S2 §1). */
export const SPACE_NAMES = ['project', 'user', 'system'] as const;
/** One of {@link SPACE_NAMES}. */
export type SpaceName = (typeof SPACE_NAMES)[number];

/** How an item stands with its signature (contracts, "Signature"); `key` is a fingerprint of 16 hex digits. */
export type SignatureState =
  | { readonly state: 'unsigned' }
  | { readonly state: 'trusted' | 'unknown_key'; readonly key: string; readonly signedAt: string }
  | { readonly state: 'wrong'; readonly reason: string; readonly line: number | undefined };

/** The primary actions (S2, S0, S3 and contracts). */
export const PRIMARY_ACTIONS = ['execute', 'search', 'load', 'sign', 'fetch'] as const;
/** One of {@link PRIMARY_ACTIONS}. */
export type PrimaryAction = (typeof PRIMARY_ACTIONS)[number];

/** An action found in a directive or declared by a hook: attributes at the top level, `<param>` children in `params`. */
export type Action = {
  readonly primary: PrimaryAction;
  readonly item_type?: string;
  readonly item_id?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
};

/** The types an input or output may have; a value of `any` type stays as it is. */
export type ValueType = Exclude<JsonType, 'null'> | 'any';

/** An input a directive declares; `any` is for kinds of `.prompty` files that say nothing of the value's type. */
export type DeclaredInput = {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
  readonly default?: unknown;
  readonly description: string;
};

/** An output a directive declares; `type` defaults to `string` in list form without a type attribute. */
export type DeclaredOutput = {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
  readonly description: string;
};

/** A hook as written in a directive or a YAML file, before its condition is compiled (contracts, "Hooks"). */
export type HookSpec = {
  readonly id: string;
  /** One or, in config files, several. */
  readonly event: string | readonly string[];
  readonly layer?: 1 | 2 | 3;
  readonly condition?: unknown;
  readonly action?: Readonly<Record<string, unknown>>;
  readonly actions?: readonly Readonly<Record<string, unknown>>[];
  readonly position?: 'before' | 'after';
  readonly wrap?: boolean;
  readonly timeout_ms?: number;
  readonly description?: string;
};

/** A body that a template engine renders with the inputs (S4), in the place of `{input:…}` references. */
export type DirectiveTemplate = {
  readonly agent: PromptyAgent;
  /** Role lines in it begin messages; those of a `.prompty` file do. */
  readonly hasRoles: boolean;
};

/** What a directive file says (S2 §1, S0): parsed, checked, not yet filled with inputs. */
export type Directive = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly category: string;
  readonly extends: string | undefined;
  readonly model: {
    readonly tier?: string;
    readonly provider?: string;
    readonly id?: string;
    readonly fallback?: string;
  };
  readonly limits: LimitOverrides;
  /** Capability strings, `rye.<primary>.<item_type>.<id with dots>`; undefined when the directive declares none. */
  readonly permissions: readonly string[] | undefined;
  readonly context: {
    readonly system: readonly string[];
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly suppress: readonly string[];
    /** How its prompt is assembled; absent: as what it extends, or `agent.yaml`, says. */
    readonly assembly?: Assembly;
  };
  readonly hooks: readonly HookSpec[];
  readonly inputs: readonly DeclaredInput[];
  readonly outputs: readonly DeclaredOutput[];
  /** Markdown before the XML fence, uncleaned. */
  readonly preamble: string;
  /** What the model is asked to do (contracts, "preamble, body, content"). */
  readonly body: string;
  /** How the body is rendered; absent: `{input:…}` references are filled in. */
  readonly template?: DirectiveTemplate;
  /** The raw XML of the fence. */
  readonly content: string;
  readonly actions: readonly Action[];
  /** What was ignored, and why; nothing is dropped silently. */
  readonly warnings: readonly string[];
};

/** A tool file's contract, read statically (S2 §5): the file is not run to learn this. */
export type ToolItem = {
  readonly id: string;
  /** Absolute, resolved path of the file. */
  readonly file: string;
  /** SHA-256 of the file's bytes as they were read, hex: it is not run if it has changed since. */
  readonly sha256: string;
  readonly space: SpaceName;
  readonly extension: string;
  /** `__tool_type__`: `runtime` and `primitive` are links of the execution chain, everything else is a tool. */
  readonly toolType: string;
  /** Item id of the runtime or primitive that runs it: from `__executor_id__`, else by the extension. */
  readonly executorId: string;
  /** What a YAML or JSON tool says beyond the contract; empty for source files. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly version: string;
  readonly description: string;
  readonly category: string;
  /** `CONFIG_SCHEMA`; an object schema without properties when the file declares none. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** `__idempotent__`; false when the file does not say. */
  readonly idempotent: boolean;
  /** `__timeout_seconds__`; undefined = the runtime's default. */
  readonly timeoutSeconds: number | undefined;
};

/** A knowledge item: front matter and text. */
export type KnowledgeItem = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly space: SpaceName;
  /** The text after the front matter, without signature lines. */
  readonly content: string;
};
