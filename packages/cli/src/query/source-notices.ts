import type { SourceStatus } from '@ldes-live/query';
import { clockTime, FeedNews, formatSpan, localTimes } from '../follow/summary.ts';
import { plainText } from '../terminal/plain-text.ts';

/** Tells of the trouble of sources once when it begins and once when it is over, in lines for people; so of feeds that fail. */
export class SourceNotices {
  /** Since when each is in trouble, epoch milliseconds, by its place. */
  readonly #sinceMs = new Map<number, number>();
  readonly #feeds: FeedNews[] = [];

  /** The lines that tell what has become different since the last look; empty where nothing has. */
  look(sources: readonly SourceStatus[], nowMs: number): string {
    const lines = sources.flatMap((source, index) => {
      const { url = 'a source', cursor } = source;
      this.#feeds[index] ??= new FeedNews();
      const feed = this.#feeds[index].lines({ ...source, isCaughtUp: cursor !== undefined }, nowMs);
      const texts = [...this.#trouble(source, index, nowMs), ...feed];
      return texts.map((text) => (text.includes(url) ? text : `${url}: ${text}`));
    });
    return lines.map((text) => `${clockTime(nowMs)}  ${plainText(text)}\n`).join('');
  }

  #trouble({ trouble }: SourceStatus, index: number, nowMs: number): string[] {
    const sinceMs = this.#sinceMs.get(index);
    if ((trouble === undefined) === (sinceMs === undefined)) return [];
    if (trouble !== undefined) {
      this.#sinceMs.set(index, nowMs);
      return [localTimes(trouble, nowMs)];
    }
    this.#sinceMs.delete(index);
    return [`back after ${formatSpan(Math.max(0, nowMs - (sinceMs as number)))}`];
  }
}
