import type { ReadableLog } from '@ldes-live/log';
import { type Cursor, formatCursor, type Joined, type Member, memberPosition, rdf } from '@ldes-live/rdf-stream';
import { atHand, MemberTexts, type MemberTextsOptions, Slice } from '../../documents/member-texts.ts';
import type { Packet, PacketSubject } from './packet.ts';

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
    return packetOf(members, members.map(subjectOf), cursor, this.#texts.joined(members));
  }

  /**
   * The packet of any members; others have their turn meanwhile.
   *
   * @param members - at least one, in sequence
   * @param cursor - after it; absent for a part of the state that others follow
   */
  async inSlices(members: readonly Member[], cursor: Cursor | undefined): Promise<Packet> {
    const pieces = await this.#texts.join(...atHand(members));
    const slice = new Slice();
    const subjects: PacketSubject[] = [];
    for (const member of members) {
      subjects.push(subjectOf(member));
      await slice.take(member.quads.length);
    }
    return packetOf(members, subjects, cursor, pieces);
  }
}

function packetOf(
  members: readonly Member[],
  subjects: readonly PacketSubject[],
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

function subjectOf(member: Member): PacketSubject {
  const { entity, kind, id, isOlder, quads } = member;
  if (kind === 'delete') return { entity, kind, types: [] };
  const types = quads.filter(
    ({ subject, predicate }) => predicate.value === rdf.type && (subject.value === id || subject.value === entity),
  );
  const position = memberPosition(member);
  return {
    entity,
    kind,
    ...(isOlder && { isOlder }),
    types: types.map(({ object }) => object.value),
    ...(position && { position }),
  };
}
