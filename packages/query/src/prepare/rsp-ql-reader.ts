import type { StreamError } from '@ldes-live/rdf-stream';
import { isWord, type Token } from './sparql-tokens.ts';
import { syntaxError } from './syntax-error.ts';

/** Reads what RSP-QL adds to SPARQL off a query's tokens, one after the other. */
export class RspQlReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at: number;

  constructor(text: string, tokens: readonly Token[], at: number) {
    this.#text = text;
    this.#tokens = tokens;
    this.#at = at;
  }

  /** The token that comes next. */
  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Where the token that was taken last ends. */
  get end(): number {
    const last = this.#tokens[this.#at - 1];
    return last ? last.offset + last.text.length : 0;
  }

  /** Takes one of these words, whatever its case. @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is another */
  word(...words: readonly string[]): string {
    if (!isWord(this.next, ...words)) throw this.unexpected(words.join(' or '));
    return this.take().text.toUpperCase();
  }

  /** Takes a word if it is there. */
  skip(word: string): boolean {
    if (!isWord(this.next, word)) return false;
    this.#at += 1;
    return true;
  }

  /** Takes a sign. */
  sign(sign: string): void {
    if (this.next?.text !== sign) throw this.unexpected(sign);
    this.#at += 1;
  }

  /** Takes an IRI or a prefixed name. */
  iri(what: string): Token {
    if (this.next?.kind !== 'iri' && this.next?.kind !== 'name') throw this.unexpected(`the IRI of ${what}`);
    return this.take();
  }

  /** Takes what stands together without a gap, as `PT0.5S` does, which SPARQL has no token for. */
  joined(what: string): { readonly text: string; readonly offset: number } {
    const offset = this.next?.offset ?? this.#text.length;
    if (!this.next || this.next.text === ']') throw this.unexpected(what);
    let text = this.take().text;
    while (this.next?.offset === this.end && this.next.text !== ']') text += this.take().text;
    return { text, offset };
  }

  /** The error that something else should stand here. */
  unexpected(expected: string): StreamError {
    const offset = this.next?.offset ?? this.#text.length;
    return syntaxError(this.#text, offset, `${expected} is expected${this.next ? '' : ', but it ends'}`);
  }

  private take(): Token {
    const token = this.next;
    if (!token) throw this.unexpected('more');
    this.#at += 1;
    return token;
  }
}
