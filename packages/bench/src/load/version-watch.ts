/** What an answer was to the reader that got it. */
export interface Version {
  /** How it stands to the one before: the first of all that the reader gets is `same`. */
  readonly kind: 'same' | 'news' | 'older';
  /** Versions between that one and the one before, which the reader never had. */
  readonly skipped: number;
}

const SAME: Version = { kind: 'same', skipped: 0 };
const OLDER: Version = { kind: 'older', skipped: 0 };

/** Follows the versions that one reader gets, by the instants at which they were scheduled. */
export class VersionWatch {
  #lastMicros: number | undefined;

  /**
   * Takes a version that came.
   *
   * @param stampMicros - `undefined` for a document that was never published anew
   * @param sinceMicros - what was scheduled before is nothing that this reader should have had
   */
  take(stampMicros: number | undefined, intervalMicros: number, sinceMicros: number): Version {
    const last = this.#lastMicros;
    if (last === undefined || stampMicros === undefined) {
      this.#lastMicros = Math.max(stampMicros ?? 0, last ?? 0);
      return SAME;
    }
    if (stampMicros === last) return SAME;
    if (stampMicros < last) return OLDER;
    this.#lastMicros = stampMicros;
    // The versions that lie between are so many whole intervals before this one.
    const between = (stampMicros - Math.max(last, sinceMicros)) / intervalMicros;
    const skipped = last >= sinceMicros ? Math.round(between) - 1 : Math.ceil(between) - 1;
    return { kind: 'news', skipped: Math.max(0, skipped) };
  }
}
