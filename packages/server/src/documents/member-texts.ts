/* The JSON-LD of each member, made once: push, the latest state, pages and tails join what is cached here.
 *   sequences [41, 42, 43] -> cached texts of 41 and 42; 43 is read and written -> joined under one context
 * Cached by sequence number, up to a number of bytes, and until the log has erased them. Newer texts push out older ones,
 * and never the other way round: the latest state is read in sequence again and again, and where it is a little too large
 * for a cache that keeps what was used last, every text would go just before it is needed. */
import { type ReadableLog, WorkSlice } from '@ldes-live/log';
import {
  type Avoid,
  type Format,
  type Joined,
  type Member,
  type MemberText,
  MemberWriter,
  PAGE_MEMBERS,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { DocumentContent } from './document.ts';

const QUICK_QUADS = 2000;

/** Quads of members that are held while a document is written. */
const HELD_QUADS = 50_000;

/** Bytes of texts that are kept for a stream when nothing else is said. */
const LIMIT_TEXT_BYTES = 64 * 1024 * 1024;

/** What a kept text counts besides its characters. */
const ENTRY_BYTES = 256;

/** Members after which a replaced version is not read any more but by those who read history: two pages. */
const RECENT_MEMBERS = 2 * PAGE_MEMBERS;

/** Members that the log has erased before their texts are looked for: to do so takes a look at all that are kept. */
const ERASED_MEMBERS = 4 * PAGE_MEMBERS;

interface Kept {
  readonly text: MemberText;
  /** As it stands under contexts that lack something: of these the last, so that what always disagrees is written once. */
  avoiding?: { readonly key: string; readonly text: MemberText } | undefined;
}

type TextsLog = Pick<ReadableLog, 'head' | 'latest' | 'heldFrom'>;

export interface MemberTextsOptions {
  readonly description: StreamDescription;
  readonly prefixes: Readonly<Record<string, string>>;
  /** How many bytes of texts to keep, as of now. @defaultValue 64 MiB */
  readonly limitBytes?: (() => number) | undefined;
}

/** Reads members by sequence number, as of the tick of the call. */
export type ReadMembers = (sequences: readonly number[]) => Promise<readonly Member[]>;

/** Members at hand, as {@link MemberTexts.join} takes them. */
export function atHand(members: readonly Member[]): readonly [sequences: readonly number[], read: ReadMembers] {
  const bySequence = new Map(members.map((member) => [member.sequence, member]));
  return [[...bySequence.keys()], async (wanted) => wanted.map((sequence) => bySequence.get(sequence) as Member)];
}

export class MemberTexts {
  readonly #log: TextsLog;
  readonly #description: StreamDescription;
  readonly #writer: MemberWriter;
  readonly #limitBytes: () => number;
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;
  /** What is no newer was pushed out, and would be again. */
  #floor = 0;
  /** Of what the log had erased before it, no text is kept but those of newest versions. */
  #sweptTo = 0;

  constructor(log: TextsLog, { description, prefixes, limitBytes }: MemberTextsOptions) {
    this.#log = log;
    this.#description = description;
    this.#writer = new MemberWriter(description, prefixes);
    this.#limitBytes = limitBytes ?? (() => LIMIT_TEXT_BYTES);
  }

  /** Whether members can be joined at once, without keeping others from their turn. */
  isQuick(members: readonly Member[]): boolean {
    let quads = 0;
    for (const member of members) {
      if (!this.#kept.has(member.sequence)) quads += member.quads.length;
      if (quads > QUICK_QUADS) return false;
    }
    return true;
  }

  /**
   * What a document of members says: its own quads, and the members, joined in JSON-LD and by themselves else.
   *
   * @param read - as of {@link join}
   */
  async content(
    format: Format | undefined,
    quads: readonly Quad[],
    sequences: readonly number[],
    read: ReadMembers,
  ): Promise<Pick<DocumentContent, 'quads' | 'joined' | 'members'>> {
    if (format === 'jsonld') return { quads, joined: await this.join(sequences, read, quads) };
    return { quads, members: { description: this.#description, list: await read(sequences) } };
  }

  joined(members: readonly Member[]): Joined {
    return this.#writer.joined(members, [], (member, avoid) => this.#text(member, avoid));
  }

  /**
   * Joins members by sequence number. Only those whose text is not kept are read; long work leaves others their turn.
   *
   * @param read - reads members of these sequence numbers, as of the tick of the call
   * @param head - what the document says besides its members
   * @throws what reading does
   */
  async join(sequences: readonly number[], read: ReadMembers, head: readonly Quad[] = []): Promise<Joined> {
    const members = new Map<number, Member>();
    const readLacking = async (wanted: readonly number[]) => {
      const lacking = wanted.filter((sequence) => !members.has(sequence));
      if (lacking.length > 0) for (const member of await read(lacking)) members.set(member.sequence, member);
    };
    const texts = sequences.map((sequence) => this.#find(sequence));
    const there = sequences.filter((_, index) => texts[index]);
    const known = this.#writer.join(
      texts.filter((text) => text !== undefined),
      head,
    );
    const again = 'again' in known ? known.again.map((index) => there[index] as number) : [];
    const lost = 'again' in known ? again.filter((sequence) => !this.#find(sequence, known.avoid)) : [];
    // In the tick of the call, since retention may take meanwhile what a commit replaces.
    await readLacking([...sequences.filter((_, index) => !texts[index]), ...lost]);
    const slice = new WorkSlice();
    let held = 0;
    for (const [index, sequence] of sequences.entries()) {
      if (texts[index]) continue;
      const member = members.get(sequence) as Member;
      texts[index] = this.#text(member);
      // Some may have to be written again. The others would hold their quads until the whole is written.
      held += member.quads.length;
      if (held > HELD_QUADS) members.delete(sequence);
      await slice.take(member.quads.length);
    }
    const written = texts as MemberText[];
    let joined = this.#writer.join(written, head);
    while ('again' in joined) {
      const { again, avoid } = joined;
      const kept = again.map((index) => this.#find(sequences[index] as number, avoid));
      await readLacking(again.filter((_, at) => !kept[at]).map((index) => sequences[index] as number));
      for (const [at, index] of again.entries()) {
        const member = members.get(sequences[index] as number) as Member;
        written[index] = kept[at] ?? this.#text(member, avoid);
        if (!kept[at]) await slice.take(member.quads.length);
      }
      joined = this.#writer.join(written, head, avoid);
    }
    return joined;
  }

  #find(sequence: number, avoid?: Avoid): MemberText | undefined {
    const kept = this.#kept.get(sequence);
    if (!avoid) return kept?.text;
    return kept?.avoiding?.key === avoidKey(kept?.text, avoid) ? kept?.avoiding?.text : undefined;
  }

  #text(member: Member, avoid?: Avoid): MemberText {
    const { sequence } = member;
    const known = this.#find(sequence, avoid);
    if (known) return known;
    const text = this.#writer.text(member, avoid);
    if (avoid) {
      const kept = this.#kept.get(sequence);
      if (kept) this.#keep(sequence, { text: kept.text, avoiding: { key: avoidKey(kept.text, avoid), text } });
    } else if (sequence > this.#floor) this.#keep(sequence, { text });
    return text;
  }

  #keep(sequence: number, kept: Kept): void {
    this.#drop(sequence);
    this.#kept.set(sequence, kept);
    this.#bytes += bytesOf(kept);
    if (this.#log.heldFrom >= this.#sweptTo + ERASED_MEMBERS) this.#sweep();
    this.#makeRoom();
  }

  #sweep(): void {
    const { heldFrom, latest } = this.#log;
    const newest = new Set(latest.sequences());
    for (const sequence of this.#kept.keys()) if (sequence < heldFrom && !newest.has(sequence)) this.#drop(sequence);
    this.#sweptTo = heldFrom;
  }

  /** Past the limit: first what was replaced, then the oldest, and an eighth at once, so that it is not done for each. */
  #makeRoom(): void {
    const limitBytes = this.#limitBytes();
    if (this.#bytes <= limitBytes) return;
    const enough = limitBytes - limitBytes / 8;
    const newest = new Set(this.#log.latest.sequences());
    const recent = this.#log.head.cursor.sequence - RECENT_MEMBERS;
    const ascending = [...this.#kept.keys()].sort((left, right) => left - right);
    for (const sequence of ascending) if (sequence <= recent && !newest.has(sequence)) this.#drop(sequence);
    for (const sequence of ascending) if (this.#bytes > enough && !newest.has(sequence)) this.#drop(sequence);
    this.#floor = 0;
    for (const sequence of ascending) {
      if (this.#bytes <= enough) break;
      this.#drop(sequence);
      this.#floor = sequence;
    }
  }

  #drop(sequence: number): void {
    const kept = this.#kept.get(sequence);
    if (!kept) return;
    this.#kept.delete(sequence);
    this.#bytes -= bytesOf(kept);
  }
}

function bytesOf({ text, avoiding }: Kept): number {
  const own = text.node.length + text.others.length + ENTRY_BYTES;
  return avoiding ? own + bytesOf(avoiding) : own;
}

/** What a text loses by what is avoided: documents that avoid different things may share it. */
function avoidKey(text: MemberText | undefined, { properties, prefixes }: Avoid): string {
  if (!text) return '';
  const { needs } = text;
  const lost = [...properties].filter((property) => needs.types.has(property));
  return JSON.stringify([lost.sort(), needs.prefixes.filter((prefix) => prefixes.has(prefix))]);
}
