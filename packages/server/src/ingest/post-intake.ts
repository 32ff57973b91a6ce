import type { StreamDescription } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import { DraftBatch } from './draft-batch.ts';
import type { MemberValidator } from './member-validator.ts';
import type { OwnIris } from './own-iris.ts';
import type { PostCommits } from './post-commits.ts';
import { addTallies, EMPTY_TALLY, type PostTally } from './post-tally.ts';
import { postedDraft } from './posted-draft.ts';
import type { PostedMember } from './posted-member.ts';

/** What taking members in takes. */
export interface IntakeParts {
  readonly description: StreamDescription;
  readonly limits: IngestLimits;
  readonly commits: PostCommits;
  /** Absent where anything is valid. */
  readonly validate: MemberValidator | undefined;
  readonly isOwnIri: OwnIris;
}

/** Takes the members of one body in, and has them stored a commit after the other. */
export class PostIntake {
  readonly #parts: IntakeParts;
  #batch: DraftBatch;
  #members = 0;
  #tally: PostTally = EMPTY_TALLY;
  #committing: Promise<void> = Promise.resolve();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#batch = new DraftBatch(parts.limits);
  }

  /** What is in the log. */
  get tally(): PostTally {
    return this.#tally;
  }

  /**
   * Takes a member.
   *
   * @returns resolves when the next may be taken; `undefined` when it may at once
   * @throws {@link StreamError} `ERR_POST_*` - it is not to be had
   */
  take(member: PostedMember): Promise<void> | undefined {
    const { limits, description, validate, isOwnIri } = this.#parts;
    const { limitBodyMembers } = limits;
    this.#members += 1;
    if (this.#members > limitBodyMembers) {
      throw errors.ERR_POST_TOO_LARGE({ limit: 'limitBodyMembers', value: limitBodyMembers });
    }
    const draft = postedDraft(member, description, isOwnIri);
    // The end of an entity says nothing of it.
    const violations = draft.kind === 'upsert' && validate ? validate(member) : [];
    if (violations.length > 0) throw errors.ERR_POST_INVALID({ member: member.iri, violations });
    if (this.#batch.fits(draft, member.characters)) {
      this.#batch.put(draft, member.characters);
      return undefined;
    }
    const flushed = this.#flush();
    this.#batch.put(draft, member.characters);
    return flushed;
  }

  /** Has the last ones stored; resolves once all are. */
  async end(): Promise<void> {
    if (this.#members === 0) throw errors.ERR_POST_EMPTY(undefined);
    await this.#flush();
    await this.#committing;
  }

  /** Resolves once what is being stored is, or is not. The rest is left. */
  async abandon(): Promise<void> {
    await this.#committing.catch(() => undefined);
  }

  // While one commit is stored the next is put together, and no more than one.
  #flush(): Promise<void> {
    const { drafts } = this.#batch;
    this.#batch = new DraftBatch(this.#parts.limits);
    const before = this.#committing;
    this.#committing = before
      .then(() => this.#parts.commits.commit(drafts))
      .then((tally) => {
        this.#tally = addTallies(this.#tally, tally);
      });
    // Told by the wait for it.
    this.#committing.catch(() => undefined);
    return before;
  }
}
