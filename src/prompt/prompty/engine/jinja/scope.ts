import type { Exec } from './compiled.ts';
import type { MacroSyntax } from './syntax.ts';
import type { Unit } from './unit.ts';

/** A variable of the template, and what is in its slot. */
export interface Variable {
  readonly slot: number;
  readonly holds: Held;
}

/** Perhaps nothing; always something; always something that came out of an input. */
export type Held = 'maybe' | 'set' | 'input';

/** A macro; the slots `from` to `to` (exclusive) are its own in each call. Filled when its body has been compiled. */
export interface Macro {
  readonly syntax: MacroSyntax;
  /** Its parameters, and the place of each. */
  readonly parameters: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  /** The slots of its parameters, one after the other, begin here. */
  from: number;
  to: number;
  body: Exec | undefined;
  /** Put values into parameters that were not given, in order. */
  defaults: readonly (Exec | undefined)[];
}

/** The macros a scope has under one name. */
export interface MacroGroup {
  readonly first: Macro;
  readonly macros: Map<MacroSyntax, Macro>;
  /** If there are several: of the one that was defined last. */
  slot: number | undefined;
}

/** The block a scope belongs to. */
export interface BlockPlace {
  /** Compiles the definition this one overrides; undefined if there is none. */
  readonly compileSuper: (() => Exec) | undefined;
}

/** The slots of one template. Slots of inputs are filled when an input is read first. */
export class Layout {
  #size = 0;
  readonly #inputs = new Map<string, number>();

  get size(): number {
    return this.#size;
  }

  slot(): number {
    this.#size += 1;
    return this.#size - 1;
  }

  inputSlot(name: string): number {
    const slot = this.#inputs.get(name) ?? this.slot();
    this.#inputs.set(name, slot);
    return slot;
  }
}

const NONE: readonly Variable[] = [];
const NO_SLOTS: readonly number[] = [];

/** Names as they are known at one place of a template. */
export class Scope {
  readonly unit: Unit;
  readonly layout: Layout;
  readonly block: BlockPlace | undefined;
  /** The scope of the template it belongs to: what a block can see that is not scoped. */
  readonly root: Scope;
  readonly #parent: Scope | undefined;
  // Most scopes have no names of their own.
  #emptied: number[] | undefined;
  #variables: Map<string, Variable> | undefined;
  #macros: Map<string, MacroGroup> | undefined;
  #loop: { readonly slot: number; isUsed: boolean } | undefined;

  constructor(from: { unit: Unit; layout: Layout; parent?: Scope; block?: BlockPlace | undefined }) {
    this.unit = from.unit;
    this.layout = from.layout;
    this.#parent = from.parent;
    this.block = from.block;
    this.root = from.parent?.unit === from.unit ? from.parent.root : this;
  }

  /** A scope inside this one. */
  child(other: { unit?: Unit; block?: BlockPlace } = {}): Scope {
    return new Scope({
      unit: other.unit ?? this.unit,
      layout: this.layout,
      parent: this,
      block: other.block ?? this.block,
    });
  }

  /** Declares a variable. One that is there stays set, but not to inputs alone. */
  declare(name: string, holds: Held): number {
    const variables = (this.#variables ??= new Map<string, Variable>());
    const known = variables.get(name);
    const slot = known?.slot ?? (holds === 'maybe' ? this.#emptySlot() : this.layout.slot());
    if (known === undefined) variables.set(name, { slot, holds });
    else if (known.holds === 'input') variables.set(name, { slot, holds: 'set' });
    return slot;
  }

  /** What a name may stand for, the nearest first; nothing behind one that is always set. */
  variables(name: string): readonly Variable[] {
    const own = this.#variables?.get(name);
    if (own !== undefined && own.holds !== 'maybe') return [own];
    const outer = this.#parent?.variables(name) ?? NONE;
    return own === undefined ? outer : [own, ...outer];
  }

  /** The slots that are empty whenever this scope begins anew. */
  emptySlots(): readonly number[] {
    return this.#emptied ?? NO_SLOTS;
  }

  declareMacro(macro: Macro): void {
    const groups = (this.#macros ??= new Map<string, MacroGroup>());
    const { syntax } = macro;
    const group = groups.get(syntax.name);
    if (group === undefined) {
      groups.set(syntax.name, { first: macro, macros: new Map([[syntax, macro]]), slot: undefined });
    } else {
      group.slot ??= this.#emptySlot();
      group.macros.set(syntax, macro);
    }
  }

  #emptySlot(): number {
    const slot = this.layout.slot();
    (this.#emptied ??= []).push(slot);
    return slot;
  }

  macro(name: string): MacroGroup | undefined {
    return this.#macros?.get(name) ?? this.#parent?.macro(name);
  }

  /** Makes this the scope of a loop. */
  beginLoop(): void {
    this.#loop = { slot: this.layout.slot(), isUsed: false };
  }

  /** The slot of the loop's state, or undefined if nobody asked for it. */
  usedLoopSlot(): number | undefined {
    return this.#loop?.isUsed === true ? this.#loop.slot : undefined;
  }

  /** The slot of the nearest loop's state, which is in use from now on. */
  loopSlot(): number | undefined {
    if (this.#loop === undefined) return this.#parent?.loopSlot();
    this.#loop.isUsed = true;
    return this.#loop.slot;
  }
}
