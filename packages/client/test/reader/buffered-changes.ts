import type { Change } from '../../src/follow/change.ts';

/** A change of a log `e` unless said otherwise, with no earlier version left out. */
export function change(sequence: number, entity: string, kind: 'upsert' | 'delete' = 'upsert', epoch = 'e') {
  const member = {
    id: `${entity}/v${sequence}`,
    entity,
    kind,
    sequence,
    time: '2026-01-01T00:00:00.000Z',
    quads: [],
  };
  return {
    kind,
    member,
    cursor: `${epoch}-${sequence}`,
    via: 'pull',
    lagMs: 0,
    conflated: 0,
    endsCommit: true,
  } as const;
}

/** A gap from a cursor of one log to one of another. */
export function gap(from: string, cursor: string): Change {
  return { kind: 'gap', from, cursor, via: 'pull' };
}

/** Changes as `sequence+left out`, a gap as `gap from>to`. */
export function inWords(changes: readonly (Change | undefined)[]): string[] {
  return changes.map((one) =>
    one === undefined
      ? 'nothing'
      : one.kind === 'gap'
        ? `gap ${one.from}>${one.cursor}`
        : `${one.kind} ${one.member.id}+${one.conflated} @${one.cursor}`,
  );
}
