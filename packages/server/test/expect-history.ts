import type { Member } from '@ldes-live/rdf-stream';
import { expect } from 'vitest';
import type { Got } from './push-lines.ts';

/** What readers are checked against. */
export interface History {
  readonly epoch: string;
  /** All members of the log, in sequence. */
  readonly members: readonly Member[];
  /** Whether a reader wants a member. */
  readonly wants: (member: Member) => boolean;
}

/**
 * Expects what a reader got to be each commit after its beginning, once and in order, or a correct conflation of some.
 *
 * @param after - sequence number after which it began
 * @returns the sequence number up to which it has everything
 */
export function expectHistory(got: readonly Got[], after: number, { epoch, members, wants }: History): number {
  const sequenceOf = (id: string) => {
    expect(id.startsWith(`${epoch}-`), id).toBe(true);
    return Number(id.slice(epoch.length + 1));
  };
  const between = (from: number, to: number) => members.slice(from, to);
  const sequences = (some: readonly Member[]) => some.filter(wants).map(({ sequence }) => sequence);
  // The end of the commit that a member is in: all of it has one time.
  const endOf = (sequence: number) => {
    const { time } = members[sequence - 1] as Member;
    let last = sequence;
    while (members[last]?.time === time) last += 1;
    return last;
  };
  let position = after;
  let id = '';
  // What does not concern a reader is behind it without a word.
  const skipTo = (to: number) => {
    expect(to).toBeGreaterThanOrEqual(position);
    expect(sequences(between(position, to))).toEqual([]);
    position = to;
  };
  for (let index = 0; index < got.length; index += 1) {
    const event = got[index] as Got;
    if (event.event === 'id') {
      skipTo(sequenceOf(event.id));
    } else if (event.event === 'conflated') {
      const { from, to } = JSON.parse(event.data) as { from: string; to: string };
      skipTo(sequenceOf(from));
      // It has no id of its own, and only the last event of it has one.
      expect(event.id).toBe(id);
      const rest = got.slice(index + 1);
      const length = rest.findIndex((each) => each.id === to) + 1 || rest.length;
      const whole = rest.slice(0, length);
      for (const each of whole.slice(0, -1)) expect([each.event, each.id]).toEqual(['update', id]);
      const told = whole.flatMap((each) => each.sequences);
      const state = sequences(newest(between(position, sequenceOf(to)), position === 0));
      // It may break off.
      if (whole.at(-1)?.id !== to) {
        expect(told).toEqual(state.slice(0, told.length));
        return position;
      }
      expect(told).toEqual(state);
      index += length;
      position = sequenceOf(to);
    } else {
      expect(event.event).toBe('update');
      const last = sequenceOf(event.id);
      expect(last).toBeGreaterThan(position);
      // It is one commit, and nothing that is wanted was passed over.
      expect(event.sequences).toEqual(sequences(between(position, last)));
      expect(last).toBe(endOf(event.sequences[0] as number));
      position = last;
    }
    id = got[index]?.id ?? id;
  }
  return position;
}

function newest(members: readonly Member[], isWholeState: boolean): readonly Member[] {
  const byEntity = new Map<string, Member>();
  for (const member of members) {
    byEntity.delete(member.entity);
    byEntity.set(member.entity, member);
  }
  return [...byEntity.values()].filter(({ kind }) => !isWholeState || kind === 'upsert');
}
