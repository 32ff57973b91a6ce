import type { Packet } from './packet.ts';

/** Of each packet what was asked for last: those who ask for the same one after the other get the same array. */
const last = new WeakMap<Packet, { readonly position: number; readonly members: readonly number[] }>();

/** The indices of the members of a packet that come after a position; `undefined` where all of them do. */
export function membersAfter(packet: Packet, position: number): readonly number[] | undefined {
  if (packet.after >= position) return undefined;
  const known = last.get(packet);
  if (known?.position === position) return known.members;
  const { after, subjects, sequences } = packet;
  const members = [...subjects.keys()].filter((index) => (sequences?.[index] ?? after + 1 + index) > position);
  last.set(packet, { position, members });
  return members;
}
