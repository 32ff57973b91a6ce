import type { Change, GapChange, MemberChange } from '@ldes-live/client';
import { entityName } from '../entity-name.ts';
import { EntityNews, type News } from '../entity-news.ts';
import { clockTime } from '../summary.ts';

/** The last change of an entity. */
export interface EntityRow {
  readonly name: string;
  readonly news: News;
  /** The time of day it was shown. */
  readonly at: string;
  /** How many versions of it were shown. */
  readonly versions: number;
  /** Milliseconds; absent for what is no live update. */
  readonly lagMs?: number;
  /** What changed; empty where it was not looked at. */
  readonly values: string;
}

/** More updates than any terminal has columns for. */
const LIMIT_LAGS = 1000;
/** More entities than any terminal has lines for. */
const LIMIT_ROWS = 500;

/** Keeps of the changes that were read what a view shows, and no more. */
export class ChangeRecord {
  readonly #news = new EntityNews();
  readonly #rows = new Map<string, EntityRow>();
  #lagsMs: number[] = [];
  #lastTime = '';
  #changes = 0;
  #gap: string | undefined;

  /** Lags of the last live updates, oldest first, milliseconds: of what was published together, the greatest. */
  get lagsMs(): readonly number[] {
    return this.#lagsMs;
  }

  /** How many changes came, those of the state at the start among them. */
  get changes(): number {
    return this.#changes;
  }

  /** What there is to say of the last gap; absent before the first. */
  get gap(): string | undefined {
    return this.#gap;
  }

  /** The last change of each entity, the newest first. */
  rows(limit: number): readonly EntityRow[] {
    return limit > 0 ? [...this.#rows.values()].slice(-limit).reverse() : [];
  }

  /** Takes what was read. */
  take(changes: readonly Change[], nowMs: number, values: ReadonlyMap<Change, string> = new Map()): void {
    for (const change of changes) {
      if (change.kind === 'gap') this.#takeGap(change, nowMs);
      else this.#takeMember(change, nowMs, values.get(change) ?? '');
    }
  }

  #takeGap({ from }: GapChange, nowMs: number): void {
    this.#news.clear();
    this.#rows.clear();
    this.#gap = `${clockTime(nowMs)}  ${from} could not be continued: the state was read anew`;
  }

  #takeMember(change: MemberChange, nowMs: number, values: string): void {
    const { member, lagMs, isLive } = change;
    this.#changes += 1;
    if (isLive) this.#takeLag(member.time, lagMs);
    const versions = (this.#rows.get(member.entity)?.versions ?? 0) + 1;
    const row = { name: entityName(member), news: this.#news.judge(change), at: clockTime(nowMs), versions, values };
    // A map keeps the place of a key that it has: the newest is to be last.
    this.#rows.delete(member.entity);
    this.#rows.set(member.entity, { ...row, ...(isLive && { lagMs }) });
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > LIMIT_ROWS) this.#rows.delete(oldest as string);
  }

  #takeLag(time: string, lagMs: number): void {
    if (time === this.#lastTime) {
      this.#lagsMs.push(Math.max(this.#lagsMs.pop() ?? 0, lagMs));
      return;
    }
    this.#lastTime = time;
    this.#lagsMs.push(lagMs);
    if (this.#lagsMs.length > LIMIT_LAGS) this.#lagsMs = this.#lagsMs.slice(-LIMIT_LAGS / 2);
  }
}
