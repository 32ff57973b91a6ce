import { isNewestState, type Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { View, ViewChange } from '../view.ts';
import { type BlankNodeScope, dataScope, sourceScopes } from './blank-node-scope.ts';
import { isState } from './is-state.ts';
import { QuadCounts } from './quad-counts.ts';

/** Deleted entities of a source that are remembered, so that an older version of one that comes late does not bring it back. */
export const REMEMBERED_DELETES = 10_000;

/** What a source's entities are now. */
interface SourceState {
  readonly scope: BlankNodeScope;
  readonly living: Map<string, Pick<Member, 'sequence' | 'versionTime' | 'quads'>>;
  /** Sequence numbers of the members that deleted entities, oldest first. */
  readonly deleted: Map<string, number>;
}

/**
 * The newest version of every living entity of each source.
 *
 * @see specs/query.md QUERY-32, QUERY-33
 */
export class LatestView implements View {
  private readonly counts = new QuadCounts();
  private readonly sources: readonly SourceState[];

  /** @param sources - how many sources there are */
  constructor(sources: number) {
    this.sources = sourceScopes(sources).map((scope) => ({ scope, living: new Map(), deleted: new Map() }));
  }

  get size(): number {
    return this.counts.size;
  }

  load(quads: readonly Quad[]): ViewChange {
    this.counts.add(dataScope(quads));
    return this.counts.take();
  }

  apply(source: number, event: SourceEvent): ViewChange {
    const state = this.sources[source] as SourceState;
    if (isState(event)) this.forget(state);
    for (const member of event.members) this.put(state, member);
    return this.counts.take();
  }

  private forget({ living, deleted }: SourceState): void {
    for (const { quads } of living.values()) this.counts.remove(quads);
    living.clear();
    deleted.clear();
  }

  private put({ scope, living, deleted }: SourceState, member: Member): void {
    const { entity, kind, sequence, versionTime, quads } = member;
    const known = living.get(entity);
    if (sequence < (known?.sequence ?? deleted.get(entity) ?? 0) || !isNewestState(member, known)) return;
    if (known) this.counts.remove(known.quads);
    deleted.delete(entity);
    if (kind === 'upsert') {
      const scoped = scope(quads);
      living.set(entity, { sequence, versionTime, quads: scoped });
      this.counts.add(scoped);
      return;
    }
    living.delete(entity);
    deleted.set(entity, sequence);
    if (deleted.size > REMEMBERED_DELETES) deleted.delete(deleted.keys().next().value as string);
  }
}
