import type { PostedMember } from './posted-member.ts';

/** Makes members of a body, piece by piece. */
export interface MemberReader {
  /**
   * The members that a further piece completes, as far as they are asked for.
   *
   * @param text - the next piece
   */
  take(text: string): MembersRead;
  /** The members that the end completes. */
  end(): MembersRead;
}

/** Members in the order of the body; asynchronous where reading them is. */
type MembersRead = Iterable<PostedMember> | AsyncIterable<PostedMember>;
