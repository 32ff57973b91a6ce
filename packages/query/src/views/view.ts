/* What a query is asked over: a set of quads that changes as sources bring members.
 *
 * apply(source, event) puts members in and takes others out, whole, and says which quads came and went by that:
 *   { "added": [ <urn:tram:1> <urn:speed> 31 ], "removed": [ <urn:tram:1> <urn:speed> 30 ], "late": 0 }
 * Here are the latest state, the last members and everything; time windows, which change as time passes, are in windows.ts.
 */

import { isNewestState, type Member, namedNode } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { checkWindow, type ViewOptions } from '../options.ts';
import type { NamedWindow } from '../prepare/rsp-ql.ts';
import { isState, type SourceEvent } from '../source.ts';
import { type BlankNodeScope, CountedView } from './quads.ts';
import { timeWindow, type WindowOfView, WindowsView } from './windows.ts';

/** A set of quads: a quad stays for as long as any member in view, or the data that always holds, states it. */
export interface View {
  /** Quads in view. */
  readonly size: number;
  /** Adds quads that hold at all times. */
  load(quads: readonly Quad[]): ViewChange;
  /** Applies what a source brought, whole. A view of time windows changes by `next` only. */
  apply(source: number, event: SourceEvent): ViewChange;
  /** When the next window to report closes, epoch milliseconds; absent for other views, and while none is known. */
  readonly nextCloseMs?: number | undefined;
  /** Of time windows: quads that wait for windows to come and are not in view. */
  readonly waiting?: number;
  /**
   * Of time windows: goes on to the next window that closes at this instant or before. Of consecutive windows without members,
   * only the first is reported.
   *
   * @param closedToMs - epoch milliseconds
   * @returns `undefined` when there is none
   */
  next?(closedToMs: number): WindowChange | undefined;
}

/** The quads that came into view, and those that went. No quad is in both, and none is twice in one. */
export interface ViewChange {
  readonly added: readonly Quad[];
  readonly removed: readonly Quad[];
  /** Members that came too late for every window that they belong to: 0 for other views. */
  readonly late: number;
}

/** The step from one time window to the next. */
export interface WindowChange extends ViewChange {
  /** `[open, close)`, epoch milliseconds. */
  readonly openMs: number;
  readonly closeMs: number;
  /** Members in the window. */
  readonly members: number;
}

interface ViewRequest {
  /** Without effect where the query names windows. */
  readonly window: ViewOptions;
  readonly windows: readonly NamedWindow[];
  /** IRIs of the sources, as {@link CommitSource.url}. */
  readonly sources: readonly (string | undefined)[];
  /** The MAL in milliseconds: the default of `step`. */
  readonly malMs: number;
}

/**
 * An empty view.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - a window of the query is out of range, or its stream is not a source
 * @see specs/query.md QUERY-30
 */
export function createView({ window, windows, sources, malMs }: ViewRequest): View {
  if (windows.length > 0) {
    return new WindowsView(
      windows.map((named) => namedWindow(named, sources, malMs)),
      sources.length,
    );
  }
  checkWindow(window);
  if (window.type === 'time') return new WindowsView([timeWindow(window, malMs)], sources.length);
  if (window.type === 'count') return new CountView(window.members, sources.length);
  return window.type === 'all' ? new AllView(sources.length) : new LatestView(sources.length);
}

function namedWindow(
  { iri, stream, window }: NamedWindow,
  sources: readonly (string | undefined)[],
  malMs: number,
): WindowOfView {
  checkWindow(window);
  const source = sources.indexOf(stream);
  if (source < 0) {
    const known = sources.filter((url) => url !== undefined).map((url) => `<${url}>`);
    const expected =
      known.length > 0 ? `give one of its sources, ${known.join(', ')}` : 'its sources have no url. Give it one';
    throw errors.ERR_QUERY_OPTION({ name: 'FROM NAMED WINDOW ... ON', value: stream, expected });
  }
  return { ...timeWindow(window, malMs), source, graph: namedNode(iri) };
}

/** A view that changes as members come. */
abstract class MembersView extends CountedView implements View {
  apply(source: number, event: SourceEvent): ViewChange {
    const scope = this.scopes[source] as BlankNodeScope;
    let { members } = event;
    if (isState(event)) {
      this.forget(source);
      members = [...members].sort((one, other) => one.sequence - other.sequence);
    }
    for (const member of members) this.put(source, member, scope);
    return this.counts.take();
  }

  /** Takes out what a source brought, since it brings its whole state. */
  protected abstract forget(source: number): void;
  protected abstract put(source: number, member: Member, scope: BlankNodeScope): void;
}

/** @see specs/query.md */
class AllView extends MembersView {
  protected forget(): void {}

  protected put(_source: number, { quads }: Member, scope: BlankNodeScope): void {
    this.counts.keep(scope(quads));
  }
}

/** @see specs/query.md QUERY-34 */
class CountView extends MembersView {
  /** By source and id, oldest first. */
  private readonly held = new Map<string, { readonly source: number; readonly quads: readonly Quad[] }>();
  private readonly members: number;

  /** @param members - how many, 1 or more */
  constructor(members: number, sources: number) {
    super(sources);
    this.members = members;
  }

  protected forget(source: number): void {
    for (const [key, held] of this.held) if (held.source === source) this.drop(key);
  }

  protected put(source: number, { id, quads }: Member, scope: BlankNodeScope): void {
    const key = `${source} ${id}`;
    if (this.held.has(key)) return;
    const scoped = scope(quads);
    this.held.set(key, { source, quads: scoped });
    this.counts.add(scoped);
    if (this.held.size > this.members) this.drop(this.held.keys().next().value as string);
  }

  private drop(key: string): void {
    this.counts.remove(this.held.get(key)?.quads ?? []);
    this.held.delete(key);
  }
}

/** How many deleted entities of a source are remembered, so that an older version that comes late does not bring one back. */
export const REMEMBERED_DELETES = 10_000;

interface Entities {
  readonly living: Map<string, Pick<Member, 'sequence' | 'versionTime' | 'quads'>>;
  /** Sequence numbers of the members that deleted entities, oldest first. */
  readonly deleted: Map<string, number>;
}

/** @see specs/query.md QUERY-32, QUERY-33 */
export class LatestView extends MembersView {
  private readonly sources: readonly Entities[];

  constructor(sources: number) {
    super(sources);
    this.sources = Array.from({ length: sources }, () => ({ living: new Map(), deleted: new Map() }));
  }

  protected forget(source: number): void {
    const { living, deleted } = this.sources[source] as Entities;
    for (const { quads } of living.values()) this.counts.remove(quads);
    living.clear();
    deleted.clear();
  }

  protected put(source: number, member: Member, scope: BlankNodeScope): void {
    const { entity, kind, sequence, versionTime, quads } = member;
    const { living, deleted } = this.sources[source] as Entities;
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
