import type { StreamLog } from '@ldes-live/log';
import type { Member } from '@ldes-live/rdf-stream';

/**
 * Reads of a log that are under way: those who ask for the same at the same time share one, as readers do that
 * were cut together and come back together.
 */
export class SharedReads {
  readonly #log: StreamLog;
  readonly #underWay = new Map<string, Promise<readonly Member[]>>();

  constructor(log: StreamLog) {
    this.#log = log;
  }

  /** As {@link StreamLog.members}; what a read that is under way gives is as of its beginning. */
  members(after: number, limit: number): Promise<readonly Member[]> {
    const key = `${after} ${limit}`;
    const underWay = this.#underWay.get(key);
    if (underWay) return underWay;
    const read = this.#log.members(after, limit).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, read);
    return read;
  }
}
