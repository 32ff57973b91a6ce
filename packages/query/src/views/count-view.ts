import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { View, ViewChange } from '../view.ts';
import { type BlankNodeScope, dataScope, sourceScopes } from './blank-node-scope.ts';
import { isState } from './is-state.ts';
import { QuadCounts } from './quad-counts.ts';

/**
 * The last so many members, in the order in which the sources brought them.
 *
 * @see specs/query.md QUERY-34
 */
export class CountView implements View {
  private readonly counts = new QuadCounts();
  private readonly scopes: readonly BlankNodeScope[];
  /** By source and id, oldest first. */
  private readonly held = new Map<string, { readonly source: number; readonly quads: readonly Quad[] }>();
  private readonly members: number;

  /**
   * @param members - how many, 1 or more
   * @param sources - how many sources there are
   */
  constructor(members: number, sources: number) {
    this.members = members;
    this.scopes = sourceScopes(sources);
  }

  get size(): number {
    return this.counts.size;
  }

  load(quads: readonly Quad[]): ViewChange {
    this.counts.add(dataScope(quads));
    return this.counts.take();
  }

  apply(source: number, event: SourceEvent): ViewChange {
    let members = event.members;
    if (isState(event)) {
      this.forget(source);
      members = [...members].sort((one, other) => one.sequence - other.sequence);
    }
    const scope = this.scopes[source] as BlankNodeScope;
    for (const { id, quads } of members) {
      const key = `${source} ${id}`;
      if (this.held.has(key)) continue;
      const scoped = scope(quads);
      this.held.set(key, { source, quads: scoped });
      this.counts.add(scoped);
      if (this.held.size > this.members) this.drop(this.held.keys().next().value as string);
    }
    return this.counts.take();
  }

  private forget(source: number): void {
    for (const [key, held] of this.held) if (held.source === source) this.drop(key);
  }

  private drop(key: string): void {
    this.counts.remove(this.held.get(key)?.quads ?? []);
    this.held.delete(key);
  }
}
