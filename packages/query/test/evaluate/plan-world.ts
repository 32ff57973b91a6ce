import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { quadKey } from '../../src/evaluate/term-key.ts';
import type { LocalPattern, LocalPlan } from '../../src/prepared-query.ts';
import type { EngineStore } from '../../src/query-engine.ts';

/** A quad of short names; an object that begins with `"` is a literal, a name of a graph is optional. */
export function q(text: string): Quad {
  const [s, p, o, g] = text.split(' ').map((name) => (name.startsWith('"') ? literal(name.slice(1)) : namedNode(name)));
  return quad(s as never, p as never, o as never, g as never);
}

/** A plan of patterns such as `r next x` (leads to ?x where another pattern begins there) or `r name *`. */
export function plan(...patterns: readonly string[]): LocalPlan {
  const subjects = new Set(patterns.map((text) => text.split(' ')[0]));
  return {
    query: { text: '' },
    root: 'r',
    isDistinct: false,
    patterns: patterns.map((text): LocalPattern => {
      const [subject, predicate, object] = text.split(' ') as [string, string, string];
      return {
        subject,
        ...(predicate === '*' ? {} : { predicate }),
        ...(subjects.has(object) ? { leadsTo: object } : {}),
        fits: (fitted) => predicate === '*' || fitted.predicate.value === predicate,
      };
    }),
  };
}

/** The part of a store that is only looked into. */
export function storeOf(quads: readonly Quad[]): EngineStore {
  const fits = (asked: Term | undefined, term: Term) => asked === undefined || asked.equals(term);
  const match: EngineStore['match'] = (s, p, o, g) =>
    quads.filter(
      (said) => fits(s, said.subject) && fits(p, said.predicate) && fits(o, said.object) && fits(g, said.graph),
    );
  return { size: quads.length, match } as Partial<EngineStore> as EngineStore;
}

export const keysOf = (quads: readonly Quad[] | undefined): string[] => [...new Set(quads?.map(quadKey))].sort();
