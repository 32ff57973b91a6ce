import { type ReadableLog, WorkSlice } from '@ldes-live/log';
import {
  type Cursor,
  type FilterSubject,
  filterSubject,
  formatCursor,
  type Joined,
  type Member,
} from '@ldes-live/rdf-stream';
import { atHand, MemberTexts, type MemberTextsOptions } from '../../documents/member-texts.ts';
import type { Packet } from './packet.ts';

/** What packets are written with. */
export interface PacketWriting extends MemberTextsOptions {
  /** The texts that documents are made of too. @defaultValue its own */
  readonly texts?: MemberTexts | undefined;
}

/** Makes packets of members: of a commit, of the rest of one, or of a part of the state. */
export class PacketMaker {
  readonly #texts: MemberTexts;

  constructor(log: Pick<ReadableLog, 'head' | 'latest'>, writing: PacketWriting) {
    this.#texts = writing.texts ?? new MemberTexts(log, writing);
  }

  /** The packet of a commit that takes no longer than others can wait; else `undefined`. */
  atOnce(members: readonly Member[], cursor: Cursor): Packet | undefined {
    if (!this.#texts.isQuick(members)) return undefined;
    return packetOf(members, members.map(filterSubject), cursor, this.#texts.joined(members));
  }

  /**
   * The packet of any members; others have their turn meanwhile.
   *
   * @param members - at least one, in sequence
   * @param cursor - after it; absent for a part of the state that others follow
   */
  async inSlices(members: readonly Member[], cursor: Cursor | undefined): Promise<Packet> {
    const pieces = await this.#texts.join(...atHand(members));
    const slice = new WorkSlice();
    const subjects: FilterSubject[] = [];
    for (const member of members) {
      subjects.push(filterSubject(member));
      await slice.take(member.quads.length);
    }
    return packetOf(members, subjects, cursor, pieces);
  }
}

function packetOf(
  members: readonly Member[],
  subjects: readonly FilterSubject[],
  cursor: Cursor | undefined,
  pieces: Joined,
): Packet {
  const after = (members[0] as Member).sequence - 1;
  const last = (members.at(-1) as Member).sequence;
  return {
    after,
    last,
    ...(last - after !== members.length && { sequences: members.map(({ sequence }) => sequence) }),
    id: cursor ? formatCursor(cursor) : '',
    subjects,
    pieces,
  };
}
