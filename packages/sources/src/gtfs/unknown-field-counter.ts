/** Counts the fields that the descriptor does not know. */
export interface UnknownFieldCounter {
  /** Counts one more. */
  add(message: string, number: number): void;
  /** The counts so far, by message and number: `TripDescriptor.1001`. */
  counts(): Record<string, number>;
}

/**
 * Starts to count.
 *
 * @param limitNames - how many names are told apart; what is beyond is counted under `other`
 * @see specs/gtfs-realtime.md GTFS-4
 */
export function unknownFieldCounter(limitNames: number): UnknownFieldCounter {
  // In two levels, since to put a name together for each of thousands of fields costs more than to read them.
  const byMessage = new Map<string, Map<number, number>>();
  let names = 0;
  let others = 0;
  return {
    add(message, number) {
      let counts = byMessage.get(message);
      if (counts === undefined) {
        counts = new Map();
        byMessage.set(message, counts);
      }
      const count = counts.get(number);
      if (count === undefined && names >= limitNames) {
        others += 1;
        return;
      }
      if (count === undefined) names += 1;
      counts.set(number, (count ?? 0) + 1);
    },
    counts() {
      const named = [...byMessage].flatMap(([message, counts]) =>
        [...counts].map(([number, count]): [string, number] => [`${message}.${number}`, count]),
      );
      return Object.fromEntries(others > 0 ? [...named, ['other', others]] : named);
    },
  };
}
