import type { Cursor } from './cursor.ts';
import type { Member } from './member.ts';

/** One or more members published at one instant; a reader gets all of them or none. */
export interface Commit {
  /** The cursor after this commit: its last member's sequence. */
  readonly cursor: Cursor;
  /** Publication time of all its members: xsd:dateTime in UTC with milliseconds. */
  readonly time: string;
  /** At least one, in sequence, each of another entity. */
  readonly members: readonly Member[];
}
