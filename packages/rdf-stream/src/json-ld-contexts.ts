/* How much work the contexts of a JSON-LD document are, counted before the library `jsonld` does it.
 *
 * For each context that it applies, the library copies all terms that hold at that place, and nothing else has a turn
 * meanwhile: a few kilobytes can keep a thread busy for minutes. The document is walked as the library walks it, and
 * each context counts with the terms that are copied for it:
 *
 *   { "@context": { "a": "x:a", "b": { "@id": "x:b", "@context": { "c": "x:c" } } }, "b": { "c": 1 } }
 *   @context of the document: 3 terms, for itself and for the context within it:  6
 *   "b" has a context of its own, which is applied to its value: 3 + 1 terms:     4     work: 10
 *
 * The library keeps what it made of a context for the last places that it was applied at, so that members which share
 * a context count once. Contexts that are referred to are loaded first. */
import { errors, isStreamError, malformed } from './errors.ts';
import { parsedUrl } from './link.ts';

/** What reading a JSON-LD document may take; the functions throw where it is too much. */
export interface ReadingLimits {
  readonly limitContextWork: number;
  /** Told how many characters its IRIs have. */
  readonly charge: (characters: number) => void;
  /** Called before the library reads it. */
  readonly chargeLibrary: () => void;
  readonly pause: (() => Promise<void>) | undefined;
}

/** What {@link boundedContexts} takes. */
interface ContextOptions {
  /** What relative references are resolved against. */
  readonly base: string;
  readonly loadContext: (url: string) => Promise<object>;
  /** The most terms that are copied. */
  readonly limitContextWork: number;
}

type LoadContext = ContextOptions['loadContext'];

/**
 * Loads the contexts that a document refers to, and counts what all of its contexts are to apply.
 *
 * @returns loads a context, each once; what loading it threw is thrown there
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_TOO_LARGE` - it is more than `limitContextWork`
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the document is too deep
 */
export async function boundedContexts(json: object, options: ContextOptions): Promise<LoadContext> {
  const { base, loadContext } = options;
  const loads = new Map<string, Promise<object>>();
  const load: LoadContext = (url) => {
    // The library asks for it as it is written.
    const href = parsedUrl(url)?.href ?? url;
    const loading = loads.get(href) ?? loadContext(url);
    loads.set(href, loading);
    return loading;
  };
  try {
    new WorkCounter(await loadedContexts(json, base, load), options).visit(json, { scope: NO_TERMS, base });
  } catch (cause) {
    // A document may be deeper than the stack.
    throw isStreamError(cause) ? cause : malformed({ url: base, format: 'jsonld' }, cause);
  }
  return load;
}

async function loadedContexts(json: object, base: string, load: LoadContext): Promise<ReadonlyMap<string, unknown>> {
  const loaded = new Map<string, unknown>();
  const waiting = [...references(json, base, false)];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (loaded.has(url)) continue;
    // What could not be loaded is for the library to miss, if it asks for it at all.
    const context = contextOf(await load(url).catch(() => undefined));
    loaded.set(url, context);
    waiting.push(...references(context, url, true));
  }
  return loaded;
}

/** The URLs of contexts that a piece of JSON refers to. */
function* references(json: unknown, base: string, isContext: boolean): Generator<string> {
  if (isContext && typeof json === 'string') {
    const url = absolute(json, base);
    if (url !== undefined) yield url;
  } else if (Array.isArray(json)) {
    for (const item of json) yield* references(item, base, isContext);
  } else if (isObject(json)) {
    for (const [key, value] of Object.entries(json)) {
      yield* references(value, base, key === '@context' || key === '@import');
    }
  }
}

function contextOf(document: unknown): unknown {
  return isObject(document) ? document['@context'] : undefined;
}

function absolute(url: string, base: string): string | undefined {
  return parsedUrl(url, base)?.href;
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** A context, and what its relative references are resolved against. */
interface PlacedContext {
  readonly context: unknown;
  readonly base: string;
}

/** The terms that hold at a place. */
interface Scope {
  /** How many, those of contexts within terms included. */
  readonly terms: number;
  /** The contexts of terms, which hold for their values. */
  readonly ofTerms: ReadonlyMap<string, PlacedContext>;
}

const NO_TERMS: Scope = { terms: 0, ofTerms: new Map() };

/** For how many places the library keeps what it made of a context. */
const KEPT_SCOPES = 10;

/** What a context has, all that it refers to and all within its terms included. */
interface ContextUse {
  readonly terms: number;
  readonly contexts: number;
}

const NO_USE: ContextUse = { terms: 0, contexts: 0 };

function sum(uses: readonly ContextUse[]): ContextUse {
  return uses.reduce((all, { terms, contexts }) => ({
    terms: all.terms + terms,
    contexts: all.contexts + contexts,
  }));
}

class WorkCounter {
  readonly #loaded: ReadonlyMap<string, unknown>;
  readonly #options: ContextOptions;
  // By context: an object as it stands in the text, or a URL.
  readonly #made = new Map<unknown, { readonly from: Scope; readonly to: Scope }[]>();
  readonly #uses = new Map<string, ContextUse>();
  #work = 0;

  constructor(loaded: ReadonlyMap<string, unknown>, options: ContextOptions) {
    this.#loaded = loaded;
    this.#options = options;
  }

  visit(json: unknown, place: { readonly scope: Scope; readonly base: string }): void {
    if (Array.isArray(json)) {
      for (const item of json) this.visit(item, place);
      return;
    }
    if (!isObject(json)) return;
    const { base } = place;
    let scope = this.#apply({ context: json['@context'], base }, place.scope);
    for (const value of scope.ofTerms.size === 0 ? [] : Object.values(json)) {
      // Any text may be a type: which key is `@type` is not looked at.
      for (const type of [value].flat()) scope = this.#apply(scope.ofTerms.get(type as string), scope);
    }
    for (const [key, value] of Object.entries(json)) {
      if (key === '@context' || typeof value !== 'object') continue;
      this.visit(value, { scope: this.#apply(scope.ofTerms.get(key), scope), base });
    }
  }

  #apply(placed: PlacedContext | undefined, scope: Scope): Scope {
    if (placed?.context === undefined) return scope;
    const { context, base } = placed;
    return [context].flat().reduce((applied: Scope, one) => this.#applyOne({ context: one, base }, applied), scope);
  }

  #applyOne({ context, base }: PlacedContext, from: Scope): Scope {
    const key = typeof context === 'string' ? absolute(context, base) : context;
    const made = this.#made.get(key) ?? [];
    const known = made.find((one) => one.from === from);
    if (known) return known.to;
    const use = this.#useOf(context, base);
    const ofTerms = new Map(from.ofTerms);
    this.#addOfTerms(context, base, ofTerms, new Set());
    const to = { terms: from.terms + use.terms, ofTerms };
    this.#add(to.terms * use.contexts);
    this.#made.set(key, [...made, { from, to }].slice(-KEPT_SCOPES));
    return to;
  }

  #useOf(context: unknown, base: string): ContextUse {
    if (Array.isArray(context)) return sum(context.map((one) => this.#useOf(one, base)));
    if (typeof context === 'string') return this.#useOfUrl(absolute(context, base));
    if (!isObject(context)) return NO_USE;
    const entries = Object.entries(context);
    const inner = entries.map(([term, value]) => this.#useOf(term === '@import' ? value : contextOf(value), base));
    return sum([{ terms: entries.length, contexts: 1 }, ...inner]);
  }

  // Once for each, since contexts may refer to each other very often. In a circle, which the library refuses, nothing.
  #useOfUrl(url: string | undefined): ContextUse {
    if (url === undefined) return NO_USE;
    const known = this.#uses.get(url);
    if (known) return known;
    this.#uses.set(url, NO_USE);
    const use = this.#useOf(this.#loaded.get(url), url);
    this.#uses.set(url, use);
    return use;
  }

  #addOfTerms(context: unknown, base: string, ofTerms: Map<string, PlacedContext>, seen: Set<string>): void {
    if (Array.isArray(context)) for (const one of context) this.#addOfTerms(one, base, ofTerms, seen);
    else if (typeof context === 'string') {
      const url = absolute(context, base);
      if (url === undefined || seen.has(url)) return;
      seen.add(url);
      this.#addOfTerms(this.#loaded.get(url), url, ofTerms, seen);
    } else if (isObject(context)) {
      this.#addOfTerms(context['@import'], base, ofTerms, seen);
      for (const [term, definition] of Object.entries(context)) {
        const inner = contextOf(definition);
        if (inner !== undefined) ofTerms.set(term, { context: inner, base });
      }
    }
  }

  #add(work: number): void {
    const { base, limitContextWork } = this.#options;
    this.#work += work;
    if (this.#work > limitContextWork) throw errors.ERR_JSONLD_CONTEXT_TOO_LARGE({ url: base, limitContextWork });
  }
}
