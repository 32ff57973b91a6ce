import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { View, ViewChange } from '../view.ts';
import { type BlankNodeScope, dataScope, sourceScopes } from './blank-node-scope.ts';
import { QuadCounts } from './quad-counts.ts';

/**
 * Everything that was stated since the reading began.
 *
 * @see specs/query.md QUERY-35
 */
export class AllView implements View {
  private readonly counts = new QuadCounts();
  private readonly scopes: readonly BlankNodeScope[];

  /** @param sources - how many sources there are */
  constructor(sources: number) {
    this.scopes = sourceScopes(sources);
  }

  get size(): number {
    return this.counts.size;
  }

  load(quads: readonly Quad[]): ViewChange {
    this.counts.keep(dataScope(quads));
    return this.counts.take();
  }

  apply(source: number, event: SourceEvent): ViewChange {
    const scope = this.scopes[source] as BlankNodeScope;
    for (const { quads } of event.members) this.counts.keep(scope(quads));
    return this.counts.take();
  }
}
