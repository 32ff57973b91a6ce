import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';

/** What a piece of JSON-LD has of contexts, and what they may have to be applied to. */
export interface ContextUse {
  /** Entries of contexts that stand there, those within terms included. */
  readonly terms: number;
  /** Entries of contexts that are referred to. */
  readonly knownTerms: number;
  /** Contexts that stand there or are referred to. */
  readonly contexts: number;
  /** Objects that are no contexts. */
  readonly nodes: number;
}

type Known = Readonly<Record<string, object>>;

/**
 * Counts the contexts of a piece of JSON-LD.
 *
 * @param known - contexts that it may refer to, by their URLs
 */
export function contextUse(json: unknown, known: Known): ContextUse {
  const use = { terms: 0, knownTerms: 0, contexts: 0, nodes: 0 };
  const refer = (url: string) => {
    use.contexts += 1;
    if (Object.hasOwn(known, url)) use.knownTerms += termsOf(known[url]);
  };
  const count = (value: unknown, isContext: boolean): void => {
    if (Array.isArray(value)) for (const item of value) count(item, isContext);
    else if (isContext && typeof value === 'string') refer(value);
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      if (isContext) use.contexts += 1;
      else use.nodes += 1;
      if (isContext) use.terms += entries.length;
      for (const [key, inner] of entries) {
        if (key === '@context' || (isContext && key === '@import')) count(inner, true);
        // Of a term there may be a context that holds for its values.
        else if (isContext) count((inner as { '@context'?: unknown } | null)?.['@context'], true);
        else count(inner, false);
      }
    }
  };
  count(json, false);
  return use;
}

function termsOf(document: unknown): number {
  const { '@context': context = document } = document as { '@context'?: unknown };
  const parts = Array.isArray(context) ? context : [context];
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'object' ? Object.keys(part ?? {}).length : 1), 0);
}

/**
 * How much there is to do with the contexts of a node: each that stands within another, or within a node, makes a copy of all
 * terms, once where it is defined and once for every node that it may hold for.
 *
 * @param shared - of the document that the node is in
 * @throws {@link StreamError} `ERR_POST_CONTEXT_TOO_LARGE` - it is more than may be
 * @see specs/ingest.md ING-48
 */
export function contextWork(
  shared: ContextUse,
  own: ContextUse,
  { limitContextTerms, limitContextWork }: Pick<IngestLimits, 'limitContextTerms' | 'limitContextWork'>,
): number {
  const terms = shared.terms + own.terms;
  if (terms > limitContextTerms) throw tooLarge('limitContextTerms', limitContextTerms);
  const inner = Math.max(0, shared.contexts + own.contexts - 1);
  const work = inner === 0 ? own.terms : (terms + shared.knownTerms + own.knownTerms) * (1 + inner + own.nodes);
  if (work > limitContextWork) throw tooLarge('limitContextWork', limitContextWork);
  return work;
}

function tooLarge(limit: string, value: number) {
  return errors.ERR_POST_CONTEXT_TOO_LARGE({ limit, value });
}
