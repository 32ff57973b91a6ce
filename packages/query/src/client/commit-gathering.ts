import { type Member, parseCursor } from '@ldes-live/rdf-stream';
import type { SourceEvent } from '../commit-source.ts';
import type { FollowedChange } from './followed-stream.ts';

/**
 * Puts the changes of a follower together to what was published together: the state that it begins with, and anew after a
 * gap, then one commit after the other. Pure.
 *
 * @see specs/query.md QUERY-90
 */
export class CommitGathering {
  #state: Map<string, Member> | undefined;
  #members: Member[] = [];
  #cursor = '';
  #hasBegun = false;

  /** @param beginsWithState - whether the first changes are those of a state */
  constructor(beginsWithState: boolean) {
    if (beginsWithState) this.#state = new Map();
  }

  /** Whether members wait for others that were published with them. */
  get isWaiting(): boolean {
    return this.#state !== undefined || this.#members.length > 0;
  }

  /** Takes in the next change. */
  take(change: FollowedChange): SourceEvent[] {
    if (change.kind === 'gap') {
      // What was known is void, and what belongs to it is not to be waited for.
      this.#state = new Map();
      this.#members = [];
      return [];
    }
    const { member } = change;
    if (this.#state) {
      if (change.kind === 'upsert') this.#state.set(member.entity, member);
      else this.#state.delete(member.entity);
      return [];
    }
    const ended = this.#members[0]?.time === member.time ? [] : this.#commit();
    this.#members.push(member);
    this.#cursor = change.cursor;
    return change.endsCommit ? [...ended, ...this.#commit()] : ended;
  }

  /** Takes note that all there was has been taken in. */
  caughtUp(cursor: string): SourceEvent[] {
    const commit = this.#commit();
    if (!this.#state && this.#hasBegun) return commit;
    // Whoever begins without a state learns so that there is nothing yet.
    const members = this.#state ? [...this.#state.values()] : [];
    this.#state = undefined;
    this.#hasBegun = true;
    return [{ kind: 'state', cursor, members }];
  }

  #commit(): SourceEvent[] {
    const [first] = this.#members;
    if (!first) return [];
    const members = this.#members;
    this.#members = [];
    this.#hasBegun = true;
    return [{ cursor: parseCursor(this.#cursor), time: first.time, members }];
  }
}
