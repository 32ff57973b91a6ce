import { type Commit, literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { StateEvent } from '../../src/source.ts';
import { quadKey } from '../../src/views/quads.ts';
import type { View, ViewChange } from '../../src/views/view.ts';

/** What a member is made of; its quads are those of `says`. */
export interface SampleMember {
  readonly entity?: string;
  readonly kind?: 'upsert' | 'delete';
  readonly sequence: number;
  readonly timeMs?: number;
  readonly versionMs?: number;
  readonly says?: readonly string[];
  readonly quads?: readonly Quad[];
}

/** A quad that states a word. */
export function saying(word: string, graph?: string): Quad {
  const where = graph === undefined ? undefined : namedNode(graph);
  return quad(namedNode('urn:x:s'), namedNode('urn:x:p'), literal(word), where);
}

/** A member; what is not given follows from its sequence number. */
export function member({ sequence, entity, kind = 'upsert', timeMs = sequence, versionMs, says, quads }: SampleMember) {
  const time = new Date(timeMs).toISOString();
  return {
    id: `urn:x:m${sequence}`,
    entity: entity ?? `urn:x:e${sequence}`,
    kind,
    sequence,
    time,
    quads: quads ?? (says ?? [`m${sequence}`]).map((word) => saying(word)),
    ...(versionMs === undefined ? {} : { versionTime: new Date(versionMs).toISOString() }),
  } satisfies Member;
}

export function commit(...members: readonly SampleMember[]): Commit {
  const made = members.map(member);
  const last = made.at(-1) as Member;
  return { cursor: { epoch: 'a', sequence: last.sequence }, time: last.time, members: made };
}

export function state(...members: readonly SampleMember[]): StateEvent {
  return { kind: 'state', cursor: 'a-0', members: members.map(member) };
}

/** Quads as texts: the words of those of {@link saying}, with their graph if they are in one. */
export function words(quads: Iterable<Quad>): string[] {
  return [...quads].map((said) => [said.object.value, said.graph.value].filter(Boolean).join(' in ')).sort();
}

/** A view's quads as who applies its changes has them; every change is checked against what it had before. */
export class Follower {
  readonly quads = new Map<string, Quad>();
  private readonly view: View;

  constructor(view: View) {
    this.view = view;
  }

  /** Follows a step, and hands it on. */
  step<Change extends ViewChange>(change: Change): Change {
    for (const said of change.removed) {
      if (!this.quads.delete(quadKey(said))) throw new Error(`${quadKey(said)} went without having been there`);
    }
    for (const said of change.added) {
      const key = quadKey(said);
      if (this.quads.has(key)) throw new Error(`${key} came twice`);
      this.quads.set(key, said);
    }
    if (this.view.size !== this.quads.size) throw new Error(`size ${this.view.size}, but ${this.quads.size} quads`);
    return change;
  }

  get words(): string[] {
    return words(this.quads.values());
  }
}
