/** How long an entity has to be absent until a record that cannot be told apart is not taken for it any more, milliseconds. */
export const UNNAMED_WAIT_MS = 600_000;

/** Since when entities are absent beside records that cannot be told apart, epoch milliseconds. */
export type AbsentSince = ReadonlyMap<string, number>;

/**
 * Tells which absent entities have ended. Pure.
 *
 * Beside a record of which nobody knows whose it is, an entity is absent only once it has been so for
 * {@link UNNAMED_WAIT_MS}, or as soon as there is no such record: a source whose records are odd for ever must not keep
 * its entities alive for ever.
 *
 * @param absent - the entities that seem to have ended
 * @param unnamedRecords - how many records there are that may be theirs
 * @param before - since when they were absent at the last poll that counted
 * @param nowMs - the present, epoch milliseconds
 * @see specs/sources.md SRC-2
 */
export function waitingEnds(
  absent: readonly string[],
  unnamedRecords: number,
  before: AbsentSince,
  nowMs: number,
): { readonly ended: readonly string[]; readonly waiting: AbsentSince } {
  if (unnamedRecords === 0) return { ended: absent, waiting: new Map() };
  // A clock that was set back begins the wait anew.
  const since = new Map(absent.map((entity) => [entity, Math.min(before.get(entity) ?? nowMs, nowMs)]));
  const isOver = (entity: string) => nowMs - (since.get(entity) ?? nowMs) >= UNNAMED_WAIT_MS;
  return {
    ended: absent.filter(isOver),
    waiting: new Map([...since].filter(([entity]) => !isOver(entity))),
  };
}
