/* The text of a JSON-LD document, in which nodes are found without it being parsed: parsed, it would take many times its size.
 *
 *   [{ "@id": "http://e/a", "p": [1, 2] }]   -> { first: 1, depth: 1 }          NodeList
 *    ^from                               ^to    { from: 1, to: 37, values: 4 }  Extent: two fields, two values of the array
 *
 * What is within brackets, braces and quotes is skipped and its values are counted; each node is then parsed by itself. */

import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import type { WorkTurns } from './admission.ts';

// By an escape a text of JSON may have half of a character that takes two of UTF-16, which UTF-8 cannot say.
const HALF_ESCAPE = /\\u[Dd][89A-Fa-f]/;
const HALF_CHARACTER = /\p{Surrogate}/u;

/** Refuses half of a character wherever it stands. */
function assertWholeCharacters(text: string): void {
  JSON.parse(text, (key, value: unknown) => {
    const hasHalf = HALF_CHARACTER.test(key) || (typeof value === 'string' && HALF_CHARACTER.test(value));
    if (hasHalf) throw errors.ERR_POST_CHARSET({});
    return value;
  });
}

const WHITE_SPACE = new Set([...' \n\r\t'].map((character) => character.charCodeAt(0)));
const SPACE = 0x20;

/** Where a text in quotes ends, or the whole. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

const [QUOTE, OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY, BACKSLASH, COLON, COMMA] = [...'"{[}]\\:,'].map(
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** A value within a text. */
interface Extent {
  readonly from: number;
  readonly to: number;
  /** Values within it, of all levels; an array or object without any counts as one more. */
  readonly values: number;
}

/** Nodes in an array, or in an `@graph`. */
export interface NodeList {
  /** What they share; absent where each has its own. */
  readonly context?: unknown;
  /** Where the first of them begins, or the array ends. */
  readonly first: number;
  /** How many arrays and objects are around them: 1 in an array, 2 in an `@graph`. */
  readonly depth: 1 | 2;
}

/** The text of a document, in which values are found without it being parsed. */
export class JsonText {
  readonly #text: string;
  readonly #limits: IngestLimits;
  readonly #firstLine: number;

  constructor(text: string, limits: IngestLimits, firstLine: number) {
    this.#text = text;
    this.#limits = limits;
    this.#firstLine = firstLine;
  }

  /** Where something is wrong of which no position is known: `undefined` where there are several lines. */
  get onlyLine(): number | undefined {
    return this.#text.includes('\n') ? undefined : this.#firstLine;
  }

  /** Checks that all of it is JSON within its limits. One node alone is parsed then. */
  async outline(turns: WorkTurns): Promise<{ readonly node: object } | NodeList> {
    const start = this.#skip(0);
    const code = this.#text.charCodeAt(start);
    if (code === OPEN_ARRAY) {
      const list: NodeList = { first: this.#skip(start + 1), depth: 1 };
      this.#checkEnd(await this.#check(list, turns));
      return list;
    }
    const list = code === OPEN_OBJECT ? await this.#graph(start, turns) : undefined;
    if (list) return list;
    const extent = this.#checked(start, 0, 'of the document');
    this.#checkEnd(extent.to);
    const node = this.parse(extent);
    if (code === OPEN_OBJECT) return { node: node as object };
    const problem = 'it is neither an object nor an array.';
    throw errors.ERR_POST_MALFORMED({ format: 'JSON-LD', line: this.#firstLine, problem });
  }

  /** The nodes of a list; then where it ends. */
  *items({ first, depth }: NodeList): Generator<Extent, number> {
    let at = first;
    for (let number = 1; this.#text.charCodeAt(at) !== CLOSE_ARRAY || number > 1; number += 1) {
      const item = this.#checked(at, depth, `number ${number}`);
      yield item;
      at = this.#skip(item.to);
      if (this.#text.charCodeAt(at) === CLOSE_ARRAY) break;
      this.#expect(at, COMMA);
      at = this.#skip(at + 1);
    }
    return at + 1;
  }

  /** @throws {@link StreamError} `ERR_POST_MALFORMED`, `ERR_POST_CHARSET` */
  parse({ from, to }: Extent): unknown {
    const piece = this.#text.slice(from, to);
    let json: unknown;
    try {
      json = JSON.parse(piece);
    } catch (cause) {
      const { message } = cause as Error;
      const position = /position (\d+)/.exec(message)?.[1];
      const line =
        position === undefined && piece.includes('\n') ? undefined : this.#lineAt(from + Number(position ?? 0));
      const problem = `${message.replace(/ at position .*$/s, '')}.`;
      throw errors.ERR_POST_MALFORMED({ format: 'JSON', line, problem }, cause);
    }
    if (HALF_ESCAPE.test(piece)) assertWholeCharacters(piece);
    return json;
  }

  /** Checks the nodes of a list; gives where it ends. */
  async #check(list: NodeList, turns: WorkTurns): Promise<number> {
    const items = this.items(list);
    for (let item = items.next(); ; item = items.next()) {
      if (item.done) return item.value;
      this.parse(item.value);
      const wait = turns.pause();
      if (wait) await wait;
    }
  }

  /** The outline of a document that has an array as its `@graph`, and nothing else but a context. */
  async #graph(start: number, turns: WorkTurns): Promise<NodeList | undefined> {
    const text = this.#text;
    let context: Extent | undefined;
    let first: number | undefined;
    for (let at = this.#skip(start + 1); ; at = this.#skip(at + 1)) {
      if (text.charCodeAt(at) !== QUOTE) return undefined;
      const key = this.#extent(at, 1);
      const colon = this.#skip(key.to);
      const value = this.#skip(colon + 1);
      if (text.charCodeAt(colon) !== COLON) return undefined;
      const name = text.slice(key.from, key.to);
      if (name === '"@context"' && !context) {
        context = this.#extent(value, 1);
        const { limitNodeValues: limit } = this.#limits;
        if (context.values > limit) {
          throw errors.ERR_POST_CONTEXT_TOO_LARGE({ limit: 'limitNodeValues', value: limit });
        }
        at = context.to;
      } else if (name === '"@graph"' && first === undefined && text.charCodeAt(value) === OPEN_ARRAY) {
        first = this.#skip(value + 1);
        at = await this.#check({ first, depth: 2 }, turns);
      } else return undefined;
      at = this.#skip(at);
      if (text.charCodeAt(at) === COMMA) continue;
      this.#expect(at, CLOSE_OBJECT);
      this.#checkEnd(at + 1);
      if (first === undefined) return undefined;
      return { ...(context && { context: this.parse(context) }), first, depth: 2 };
    }
  }

  #checked(from: number, outer: number, member: string): Extent {
    const { limitNodeValues: value } = this.#limits;
    const extent = this.#extent(from, outer);
    if (extent.values > value) throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitNodeValues', value });
    return extent;
  }

  /** The value that begins at a place, within so many arrays and objects. It need not be well-formed. */
  #extent(from: number, outer: number): Extent {
    const { limitDepth, limitNodeValues } = this.#limits;
    const text = this.#text;
    let [depth, values] = [outer, 0];
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(text, at);
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        depth += 1;
        values += 1;
        if (depth > limitDepth) throw errors.ERR_POST_TOO_DEEP({ line: this.#lineAt(at), limitDepth });
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        // Of what is around it.
        if (depth === outer) break;
        depth -= 1;
        if (depth === outer) return { from, to: at + 1, values };
      } else if (code === COMMA) {
        if (depth === outer) break;
        values += 1;
        // It is refused, however it goes on.
        if (values > limitNodeValues && depth > outer) return { from, to: at, values };
      } else if (depth === outer && code <= SPACE) break;
      if (depth === outer && code === QUOTE) return { from, to: Math.min(at + 1, text.length), values };
    }
    return { from, to: at, values };
  }

  /** Where the next character is that is not white space. */
  #skip(from: number): number {
    let at = from;
    while (WHITE_SPACE.has(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  #expect(at: number, code: number): void {
    if (this.#text.charCodeAt(at) === code) return;
    const found = at < this.#text.length ? `${JSON.stringify(this.#text[at])} is there` : 'it ends';
    const problem = `${found} instead of ${JSON.stringify(String.fromCharCode(code))}.`;
    throw errors.ERR_POST_MALFORMED({ format: 'JSON', line: this.#lineAt(at), problem });
  }

  #checkEnd(end: number): void {
    const at = this.#skip(end);
    if (at === this.#text.length) return;
    const problem = `${JSON.stringify(this.#text[at])} comes after its end.`;
    throw errors.ERR_POST_MALFORMED({ format: 'JSON', line: this.#lineAt(at), problem });
  }

  #lineAt(position: number): number {
    let line = this.#firstLine;
    for (let at = this.#text.indexOf('\n'); at >= 0 && at < position; at = this.#text.indexOf('\n', at + 1)) line += 1;
    return line;
  }
}
