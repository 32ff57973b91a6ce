/* Time windows over members: `[open, close)`, one every step, each asked once when it closes.
 *
 * The window k of a grid opens at originMs + k * stepMs and is rangeMs long:
 *   { "rangeMs": 10000, "stepMs": 5000, "originMs": 0 }   ... [-5 s, 5 s) [0 s, 10 s) [5 s, 15 s) ...
 * A WindowRun goes along the grid of one stream and holds the members that windows to come need. WindowsView has one run for
 * each window of a query: apply() hands members to the runs, next() goes on by one window and says which quads came and went.
 */

import { dateTimeMs, type Member, quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad } from '@rdfjs/types';
import type { TimeWindowOptions } from '../options.ts';
import { isState, type SourceEvent } from '../source.ts';
import { type BlankNodeScope, CountedView } from './quads.ts';
import type { View, ViewChange, WindowChange } from './view.ts';

/** By which of their times members belong to windows. */
export type WindowTime = NonNullable<TimeWindowOptions['time']>;

/** A window of a {@link WindowsView}. */
export interface WindowOfView {
  readonly grid: WindowGrid;
  readonly time: WindowTime;
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
export class WindowsView extends CountedView implements View {
  private readonly windows: readonly (WindowOfView & { readonly run: WindowRun })[];
  /** Sources that have brought something. */
  private readonly begun = new Set<number>();

  /** @param windows - one or more */
  constructor(windows: readonly WindowOfView[], sources: number) {
    super(sources);
    this.windows = windows.map((window) => ({ ...window, run: new WindowRun(window.grid) }));
  }

  get waiting(): number {
    return this.windows.reduce((sum, { run }) => sum + run.waiting, 0);
  }

  get nextCloseMs(): number | undefined {
    const closes = this.windows.map(({ run }) => run.nextCloseMs).filter((closeMs) => closeMs !== undefined);
    return closes.length > 0 ? Math.min(...closes) : undefined;
  }

  apply(source: number, event: SourceEvent): ViewChange {
    const scope = this.scopes[source] as BlankNodeScope;
    const windows = this.windows.filter((window) => window.source === undefined || window.source === source);
    const lateIn = new Map<Member, boolean>();
    for (const { run, time } of windows) {
      // A state lacks what was replaced before it: no window of that time could be reported rightly.
      if (isState(event) && !this.begun.has(source)) run.skip(newestTimeMs(event.members, time));
      const held: WindowMember[] = [];
      for (const member of event.members) {
        const timeMs = memberTimeMs(member, time);
        const place = run.place(timeMs);
        if (place === 'held') held.push({ timeMs, key: `${source} ${member.id}`, quads: scope(member.quads) });
        if (place !== 'between') lateIn.set(member, place === 'late' && lateIn.get(member) !== false);
      }
      run.add(held);
    }
    this.begun.add(source);
    // Old members of a state are not late.
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
}

function inGraph(quads: readonly Quad[], graph: NamedNode | undefined): readonly Quad[] {
  if (!graph) return quads;
  return quads.map(({ subject, predicate, object }) => quad(subject, predicate as NamedNode, object, graph));
}

interface WindowMember {
  readonly timeMs: number;
  /** The same for the same member only. */
  readonly key: string;
  readonly quads: readonly Quad[];
  /** Its quads as they are in the view; absent while it is in none. */
  inView?: readonly Quad[];
}

interface WindowStep extends Pick<WindowChange, 'openMs' | 'closeMs' | 'members'> {
  readonly came: readonly WindowMember[];
  readonly went: readonly WindowMember[];
}

/** The time windows over one stream, one after the other, and the members that they need. */
class WindowRun {
  private readonly grid: WindowGrid;
  /** By time. */
  private members: WindowMember[] = [];
  private readonly keys = new Set<string>();
  /** All windows that close until then are reported, or have nothing to report. */
  private passedToMs = Number.NEGATIVE_INFINITY;
  private last?: { readonly index: number; readonly members: number };
  /** Quads of members that are in no window yet. */
  waiting = 0;

  constructor(grid: WindowGrid) {
    this.grid = grid;
  }

  get nextCloseMs(): number | undefined {
    const index = this.nextIndex();
    return index === undefined ? undefined : this.closeOf(index);
  }

  /** Whether a member is in windows to come (`held`), only in such as are passed (`late`), or in none at all (`between`). */
  place(timeMs: number): 'held' | 'late' | 'between' {
    if (Number.isNaN(timeMs)) return 'late';
    const last = this.lastOpenedBy(timeMs);
    if (this.firstClosingAfter(timeMs) > last) return 'between';
    return this.firstClosingAfter(this.passedToMs) > last ? 'late' : 'held';
  }

  /** Takes in members that are in windows to come; each once. */
  add(members: readonly WindowMember[]): void {
    const came = members.filter(({ key }) => !this.keys.has(key) && this.keys.add(key));
    if (came.length === 0) return;
    for (const { quads } of came) this.waiting += quads.length;
    // Nearly always they come last: only what comes after the first of them is moved.
    const after = this.members.splice(
      this.indexOf(came.reduce((minMs, { timeMs }) => Math.min(minMs, timeMs), Number.POSITIVE_INFINITY)),
    );
    for (const member of [...after, ...came].sort((one, other) => one.timeMs - other.timeMs)) this.members.push(member);
  }

  /** Ignores the windows that close at this instant or before. */
  skip(instantMs: number): void {
    this.pass(instantMs);
    const openMs = this.openOf(this.firstClosingAfter(this.passedToMs));
    this.members = this.members.filter((member) => {
      // Those in view go with the window that they are in.
      if (member.inView !== undefined || member.timeMs >= openMs) return true;
      this.keys.delete(member.key);
      this.waiting -= member.quads.length;
      return false;
    });
  }

  /** Notes that no window that closes at this instant or before has anything to report. */
  pass(instantMs: number): void {
    this.passedToMs = Math.max(this.passedToMs, instantMs);
  }

  /** Goes on to the next window that closes at this instant or before; `undefined` when there is none to report. */
  next(closedToMs: number): WindowStep | undefined {
    const index = this.nextIndex();
    if (index === undefined || this.closeOf(index) > closedToMs) return undefined;
    const openMs = this.openOf(index);
    const closeMs = this.closeOf(index);
    const start = this.indexOf(openMs);
    const end = this.indexOf(closeMs);
    const came = this.members.slice(start, end).filter(({ inView }) => inView === undefined);
    for (const { quads } of came) this.waiting -= quads.length;
    const went = this.members.splice(0, start);
    for (const { key } of went) this.keys.delete(key);
    this.passedToMs = closeMs;
    this.last = { index, members: end - start };
    return { openMs, closeMs, members: end - start, came, went };
  }

  private nextIndex(): number | undefined {
    const first = this.firstClosingAfter(this.passedToMs);
    const holds = this.members[this.indexOf(this.openOf(first))];
    const next = holds && Math.max(first, this.firstClosingAfter(holds.timeMs));
    if (!this.last || this.last.members === 0) return next;
    // An empty window is reported once; the empty ones that follow it are not.
    const follows = Math.max(first, this.last.index + 1);
    return next === undefined ? follows : Math.min(next, follows);
  }

  /** The first instant in a window, epoch milliseconds. */
  private openOf(index: number): number {
    return this.grid.originMs + index * this.grid.stepMs;
  }

  /** The first instant after a window. */
  private closeOf(index: number): number {
    return this.openOf(index) + this.grid.rangeMs;
  }

  /** The first window that closes after an instant: of those that the instant lies in, the first, if there are any. */
  private firstClosingAfter(instantMs: number): number {
    return this.lastOpenedBy(instantMs - this.grid.rangeMs) + 1;
  }

  /** The last window that is open at an instant or was before. */
  private lastOpenedBy(instantMs: number): number {
    return Math.floor((instantMs - this.grid.originMs) / this.grid.stepMs);
  }

  /** How many members are before an instant. */
  private indexOf(timeMs: number): number {
    let from = 0;
    let to = this.members.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.members[middle] as WindowMember).timeMs < timeMs) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Where time windows lie: the window `k`, any integer, opens at `originMs + k * stepMs` and is `rangeMs` long. */
interface WindowGrid {
  readonly rangeMs: number;
  readonly stepMs: number;
  readonly originMs: number;
}

/** The window that options ask for over all sources, to the millisecond. */
export function timeWindow(options: TimeWindowOptions, malMs: number): WindowOfView {
  const { range, step = Math.min(malMs / 1000, range), originMs = 0, time = 'published' } = options;
  return { grid: { rangeMs: wholeMs(range), stepMs: wholeMs(step), originMs }, time };
}

function wholeMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}

/** The instant by which a member belongs to time windows, epoch milliseconds; `NaN` where none can be read. */
export function memberTimeMs(member: Pick<Member, 'time' | 'versionTime'>, by: WindowTime): number {
  const versionMs = by === 'version' && member.versionTime !== undefined ? dateTimeMs(member.versionTime) : Number.NaN;
  return Number.isNaN(versionMs) ? dateTimeMs(member.time) : versionMs;
}

/** The latest instant of members by the windows' time, epoch milliseconds; `-Infinity` where there is none. */
export function newestTimeMs(members: readonly Member[], by: WindowTime): number {
  let latestMs = -Infinity;
  for (const member of members) {
    const timeMs = memberTimeMs(member, by);
    // `NaN` is never greater.
    if (timeMs > latestMs) latestMs = timeMs;
  }
  return latestMs;
}
