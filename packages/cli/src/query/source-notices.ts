import type { SourceStatus } from '@ldes-live/query';
import { clockTime, formatSpan, localTimes } from '../follow/summary.ts';
import { plainText } from '../terminal/plain-text.ts';

/** Tells of the trouble of sources once when it begins and once when it is over, in lines for people. */
export class SourceNotices {
  /** Since when each is in trouble, epoch milliseconds, by its place. */
  readonly #sinceMs = new Map<number, number>();

  /** The lines that tell what has become different since the last look; empty where nothing has. */
  look(sources: readonly SourceStatus[], nowMs: number): string {
    return sources.map((source, index) => this.#line(source, index, nowMs)).join('');
  }

  #line({ url = 'a source', trouble }: SourceStatus, index: number, nowMs: number): string {
    const sinceMs = this.#sinceMs.get(index);
    if ((trouble === undefined) === (sinceMs === undefined)) return '';
    const line = (text: string) => `${clockTime(nowMs)}  ${plainText(text.includes(url) ? text : `${url}: ${text}`)}\n`;
    if (trouble !== undefined) {
      this.#sinceMs.set(index, nowMs);
      return line(localTimes(trouble, nowMs));
    }
    this.#sinceMs.delete(index);
    return line(`back after ${formatSpan(Math.max(0, nowMs - (sinceMs as number)))}`);
  }
}
