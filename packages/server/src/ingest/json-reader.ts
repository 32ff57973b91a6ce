import { errors } from '../errors.ts';
import { type JsonContext, jsonMembers } from './json-members.ts';
import type { MemberReader } from './member-reader.ts';
import type { PostedMember } from './posted-member.ts';

/** Reads members from one JSON-LD document, which is read whole. */
export class DocumentReader implements MemberReader {
  readonly #context: JsonContext;
  readonly #pieces: string[] = [];
  #length = 0;

  constructor(context: JsonContext) {
    this.#context = context;
  }

  take(text: string): Iterable<PostedMember> {
    const { limitDocumentBytes } = this.#context.limits;
    this.#length += Buffer.byteLength(text);
    if (this.#length > limitDocumentBytes) {
      throw errors.ERR_POST_TOO_LARGE({ limit: 'limitDocumentBytes', value: limitDocumentBytes });
    }
    this.#pieces.push(text);
    return [];
  }

  end(): AsyncIterable<PostedMember> {
    return jsonMembers(this.#pieces.join(''), this.#context);
  }
}

/** Reads members from NDJSON: a JSON-LD document a line. */
export class LineDocumentReader implements MemberReader {
  readonly #context: JsonContext;
  #rest: string[] = [];
  #restLength = 0;
  #line = 1;

  constructor(context: JsonContext) {
    this.#context = context;
  }

  async *take(text: string): AsyncIterable<PostedMember> {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, end));
      from = end + 1;
      yield* this.end();
      this.#line += 1;
    }
    this.#keep(text.slice(from));
  }

  async *end(): AsyncIterable<PostedMember> {
    const line = this.#rest.length === 1 ? (this.#rest[0] as string) : this.#rest.join('');
    this.#rest = [];
    this.#restLength = 0;
    // Blank lines mean nothing.
    if (/\S/.test(line)) yield* jsonMembers(line, this.#context, this.#line);
  }

  #keep(piece: string): void {
    const { limitMemberCharacters } = this.#context.limits;
    this.#restLength += piece.length;
    if (this.#restLength > limitMemberCharacters) {
      const member = `in line ${this.#line}`;
      throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitMemberCharacters', value: limitMemberCharacters });
    }
    if (piece !== '') this.#rest.push(piece);
  }
}
