import type { KeyedRecord } from './packed-records.ts';

/** An answer that is kept by what comes and goes of it: records in no order, each as often as it came. */
export class MirroredAnswer<R> {
  readonly #held = new Map<string, { readonly record: R; count: number }>();
  #list: readonly R[] | undefined = [];

  add(records: readonly KeyedRecord<R>[]): void {
    if (records.length > 0) this.#list = undefined;
    for (const { key, record } of records) {
      const held = this.#held.get(key);
      if (held) held.count += 1;
      else this.#held.set(key, { record, count: 1 });
    }
  }

  remove(records: readonly KeyedRecord<R>[]): void {
    if (records.length > 0) this.#list = undefined;
    for (const { key } of records) {
      const held = this.#held.get(key);
      if (held) held.count -= 1;
      if (held?.count === 0) this.#held.delete(key);
    }
  }

  /** All records. */
  list(): readonly R[] {
    this.#list ??= [...this.#held.values()].flatMap(({ record, count }) =>
      count === 1 ? [record] : Array.from({ length: count }, () => record),
    );
    return this.#list;
  }
}
