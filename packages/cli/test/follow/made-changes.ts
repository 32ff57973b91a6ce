import type { GapChange, MemberChange } from '@ldes-live/client';

/** When the following of made changes began. */
export const START = Date.UTC(2026, 10, 20, 9);

/** A change of an entity, as a client would deliver it. */
export function change(
  name: string,
  { lagMs = 20, publishedMs = START, kind = 'upsert' as 'upsert' | 'delete' } = {},
): MemberChange {
  const entity = `http://a/s/entities/vehicles/${name}`;
  const time = new Date(publishedMs).toISOString();
  const member = { id: `${entity}#${time}`, entity, kind, sequence: 1, time, quads: [] };
  return {
    kind,
    member,
    cursor: 'e-1',
    via: 'push',
    lagMs,
    isLive: publishedMs >= START,
    conflated: 0,
    isNewest: true,
    endsCommit: true,
    inFilter: true,
  };
}

export const gap: GapChange = { kind: 'gap', cursor: 'f-0', from: 'e-1', via: 'push' };
