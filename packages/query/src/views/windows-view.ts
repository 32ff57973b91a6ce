import { type Member, quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { View, ViewChange, WindowChange } from '../view.ts';
import type { TimeWindowOptions } from '../view-options.ts';
import { type BlankNodeScope, dataScope, sourceScopes } from './blank-node-scope.ts';
import { isState } from './is-state.ts';
import { memberTimeMs } from './member-time.ts';
import { QuadCounts } from './quad-counts.ts';
import type { WindowGrid } from './window-grid.ts';
import { type WindowMember, WindowRun } from './window-run.ts';

/** A window of a {@link WindowsView}. */
export interface WindowOfView {
  readonly grid: WindowGrid;
  readonly time: NonNullable<TimeWindowOptions['time']>;
  /** Which source it is over; absent for all. */
  readonly source?: number;
  /** The graph that holds its members' quads; where absent, they stay in their own. */
  readonly graph?: NamedNode;
}

/**
 * The members of the last time window; of several windows, the last one of each.
 *
 * @see specs/query.md QUERY-36
 */
export class WindowsView implements View {
  private readonly counts = new QuadCounts();
  private readonly scopes: readonly BlankNodeScope[];
  private readonly windows: readonly (WindowOfView & { readonly run: WindowRun })[];
  /** Sources that have brought something. */
  private readonly begun = new Set<number>();
  newestMs: number | undefined;

  /**
   * @param windows - one or more
   * @param sources - how many sources there are
   */
  constructor(windows: readonly WindowOfView[], sources: number) {
    this.windows = windows.map((window) => ({ ...window, run: new WindowRun(window.grid) }));
    this.scopes = sourceScopes(sources);
  }

  get size(): number {
    return this.counts.size;
  }

  get waiting(): number {
    return this.windows.reduce((sum, { run }) => sum + run.waiting, 0);
  }

  get nextCloseMs(): number | undefined {
    const closes = this.windows.map(({ run }) => run.nextCloseMs).filter((closeMs) => closeMs !== undefined);
    return closes.length > 0 ? Math.min(...closes) : undefined;
  }

  load(quads: readonly Quad[]): ViewChange {
    this.counts.add(dataScope(quads));
    return this.counts.take();
  }

  apply(source: number, event: SourceEvent): ViewChange {
    const windows = this.windows.filter((window) => window.source === undefined || window.source === source);
    const lateIn = new Map<Member, boolean>();
    for (const { run, time } of windows) {
      const timed = event.members.map((member) => ({ member, timeMs: memberTimeMs(member, time) }));
      this.newestMs = newest(timed, this.newestMs);
      // What was replaced before a state is not in it: no window of that time could be told rightly.
      if (isState(event) && !this.begun.has(source)) run.skip(newest(timed) ?? Number.NEGATIVE_INFINITY);
      const held: WindowMember[] = [];
      for (const { member, timeMs } of timed) {
        const place = run.place(timeMs);
        if (place === 'held') held.push(this.windowMember(source, member, timeMs));
        if (place !== 'between') lateIn.set(member, place === 'late' && lateIn.get(member) !== false);
      }
      run.add(held);
    }
    this.begun.add(source);
    // Of a state, old members are no late ones.
    const late = isState(event) ? 0 : [...lateIn.values()].filter(Boolean).length;
    return { added: [], removed: [], late };
  }

  next(closedToMs: number): WindowChange | undefined {
    const closeMs = this.nextCloseMs;
    const window = this.windows.find(({ run }) => run.nextCloseMs === closeMs);
    const step = window?.run.next(closedToMs);
    if (!step) {
      for (const { run } of this.windows) run.pass(closedToMs);
      return undefined;
    }
    for (const { inView } of step.went) this.counts.remove(inView ?? []);
    for (const member of step.came) {
      member.inView = inGraph(member.quads, window?.graph);
      this.counts.add(member.inView);
    }
    return { ...this.counts.take(), openMs: step.openMs, closeMs: step.closeMs, members: step.members };
  }

  private windowMember(source: number, { id, quads }: Member, timeMs: number): WindowMember {
    const scope = this.scopes[source] as BlankNodeScope;
    return { timeMs, key: `${source} ${id}`, quads: scope(quads) };
  }
}

function newest(members: readonly { readonly timeMs: number }[], before?: number): number | undefined {
  let latestMs = before;
  for (const { timeMs } of members) if (timeMs > (latestMs ?? Number.NEGATIVE_INFINITY)) latestMs = timeMs;
  return latestMs;
}

function inGraph(quads: readonly Quad[], graph: NamedNode | undefined): readonly Quad[] {
  if (!graph) return quads;
  return quads.map(({ subject, predicate, object }) => quad(subject, predicate as NamedNode, object, graph));
}
