/* The text of a JSON-LD document, in which nodes are found without it being parsed: parsed, it would take many times its size.
 *
 *   { "@context": { "p": "http://e/p" }, "@graph": [{ "@id": "http://e/a", "p": [1, 2] }] }
 *                                                    ^from                               ^to
 *     outline -> { context: { "p": "http://e/p" }, items: [{ from: 48, to: 84, values: 4 }], documentOf }
 *
 * What is within brackets, braces and quotes is skipped and its values are counted; each node is then parsed by itself. */

import { errors } from '../errors.ts';
import type { IngestLimits } from '../options.ts';
import type { WorkTurns } from '../work-turns.ts';

/** A value within a text; it need not be well-formed. */
interface Extent {
  readonly from: number;
  readonly to: number;
  /** Values within it, of all levels; an array or object without any counts as one more. */
  readonly values: number;
}

/** A document, before its nodes are parsed. */
export interface Outline {
  /** What its nodes share. */
  readonly context?: unknown;
  readonly items: Iterable<Extent>;
  /** The document that has just some of its nodes. */
  readonly documentOf: (nodes: readonly unknown[]) => object;
}

const [QUOTE, OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY, BACKSLASH, COMMA] = [...'"{[}]\\,'].map((character) =>
  character.charCodeAt(0),
) as [number, number, number, number, number, number, number];

const LINE_FEED = 10;

const WHITE_SPACE = /[ \n\r\t]*/y;

/** A number, `true`, `false` or `null`, or what stands in their place. */
const WORD = /[^\s,\]}]*/y;

/** What begins an entry of a document that is nothing but a graph. */
const GRAPH_ENTRY = /[ \n\r\t]*"@(context|graph)"[ \n\r\t]*:[ \n\r\t]*/y;

// By an escape a text of JSON may have half of a character that takes two of UTF-16, which UTF-8 cannot say.
const HALF_ESCAPE = /(?<!\\)(?:\\\\)*\\u[Dd][89A-Fa-f]/;

/** The text of a document, in which nodes are found without it being parsed. */
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

  async outline(turns: WorkTurns): Promise<Outline> {
    const start = this.#skip(0);
    const code = this.#text.charCodeAt(start);
    if (code === OPEN_ARRAY) return { items: this.#items(start + 1, 1), documentOf: (nodes) => nodes };
    if (code !== OPEN_OBJECT) {
      const problem = 'it is neither an object nor an array.';
      throw errors.ERR_POST_MALFORMED({ format: 'JSON-LD', line: this.#firstLine, problem });
    }
    const graph = await this.#graph(start + 1, turns);
    if (graph) return graph;
    const item = this.#item(start, 0, 'of the document');
    this.#after(item.to, '');
    return { items: [item], documentOf: ([node]) => node as object };
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
      const at = position === undefined && piece.includes('\n') ? undefined : from + Number(position ?? 0);
      throw this.#malformed(at, `${message.replace(/ at position .*$/s, '')}.`, cause);
    }
    // It writes halves as escapes, and whole characters as they are.
    if (HALF_ESCAPE.test(piece) && HALF_ESCAPE.test(JSON.stringify(json))) throw errors.ERR_POST_CHARSET({});
    return json;
  }

  /** The outline of a document that has an array as its `@graph`, and nothing else but a context. */
  async #graph(start: number, turns: WorkTurns): Promise<Outline | undefined> {
    let context: Extent | undefined;
    let first: number | undefined;
    for (let at = start; ; ) {
      GRAPH_ENTRY.lastIndex = at;
      const [entry, key] = GRAPH_ENTRY.exec(this.#text) ?? [];
      if (entry === undefined) return undefined;
      at += entry.length;
      if (key === 'context' && !context) {
        context = this.#extent(at, 1);
        const { limitNodeValues: limit } = this.#limits;
        if (context.values > limit) throw errors.ERR_POST_CONTEXT_TOO_LARGE({ limit: 'limitNodeValues', value: limit });
        at = context.to;
      } else if (key === 'graph' && first === undefined && this.#text.charCodeAt(at) === OPEN_ARRAY) {
        first = at + 1;
        at = await this.#endOfItems(first, turns);
      } else return undefined;
      at = this.#skip(at);
      if (this.#text.charCodeAt(at) === COMMA) at += 1;
      else {
        this.#after(this.#after(at, '}'), '');
        break;
      }
    }
    if (first === undefined) return undefined;
    const shared = context && { '@context': this.parse(context) };
    const documentOf = (nodes: readonly unknown[]) => ({ ...shared, '@graph': nodes });
    return { ...(shared && { context: shared['@context'] }), items: this.#items(first, 2), documentOf };
  }

  /** What is in an array, in so many arrays and objects; then where that ends. */
  *#items(first: number, depth: 1 | 2): Generator<Extent, number> {
    let at = this.#skip(first);
    for (let number = 1; this.#text.charCodeAt(at) !== CLOSE_ARRAY || number > 1; number += 1) {
      const item = this.#item(at, depth, `number ${number}`);
      yield item;
      at = this.#skip(item.to);
      if (this.#text.charCodeAt(at) === CLOSE_ARRAY) break;
      at = this.#skip(this.#after(at, ','));
    }
    if (depth === 1) this.#after(at + 1, '');
    return at + 1;
  }

  async #endOfItems(first: number, turns: WorkTurns): Promise<number> {
    const items = this.#items(first, 2);
    for (let item = items.next(); ; item = items.next()) {
      if (item.done) return item.value;
      const wait = turns.pause();
      if (wait) await wait;
    }
  }

  #item(from: number, outer: number, member: string): Extent {
    const { limitNodeValues: value } = this.#limits;
    const extent = this.#extent(from, outer);
    if (extent.values > value) throw errors.ERR_POST_MEMBER_TOO_LARGE({ member, limit: 'limitNodeValues', value });
    return extent;
  }

  /** The value that begins at a place, within so many arrays and objects: with too many values it may end before its end. */
  #extent(from: number, outer: number): Extent {
    const { limitDepth, limitNodeValues } = this.#limits;
    const text = this.#text;
    let [depth, values, at] = [outer, 0, from];
    do {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfString(at);
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        depth += 1;
        values += 1;
        if (depth > limitDepth) throw errors.ERR_POST_TOO_DEEP({ line: this.#lineAt(at), limitDepth });
      } else if (depth === outer) {
        WORD.lastIndex = from;
        WORD.test(text);
        return { from, to: WORD.lastIndex, values };
      } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
      else if (code === COMMA) values += 1;
      at += 1;
    } while (depth > outer && at < text.length && values <= limitNodeValues);
    return { from, to: at, values };
  }

  /** Where a text in quotes ends: at its last quote, or with the whole. */
  #endOfString(start: number): number {
    const text = this.#text;
    for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
      let before = end - 1;
      while (text.charCodeAt(before) === BACKSLASH) before -= 1;
      if ((end - before) % 2 === 1) return end;
    }
    return text.length - 1;
  }

  /** Where the next character is that is not white space. */
  #skip(from: number): number {
    WHITE_SPACE.lastIndex = from;
    WHITE_SPACE.test(this.#text);
    return WHITE_SPACE.lastIndex;
  }

  /** Where it goes on after a character that has to come next: without one, after its end. */
  #after(from: number, expected: '' | ',' | '}'): number {
    const at = this.#skip(from);
    const found = this.#text.charAt(at);
    if (found === expected) return at + 1;
    const there = found === '' ? 'it ends' : `${JSON.stringify(found)} is there`;
    throw this.#malformed(at, `${there} instead of ${expected === '' ? 'its end' : JSON.stringify(expected)}.`);
  }

  #malformed(at: number | undefined, problem: string, cause?: unknown) {
    const line = at === undefined ? undefined : this.#lineAt(at);
    return errors.ERR_POST_MALFORMED({ format: 'JSON', line, problem }, cause);
  }

  #lineAt(position: number): number {
    let line = this.#firstLine;
    for (let at = 0; at < position; at += 1) if (this.#text.charCodeAt(at) === LINE_FEED) line += 1;
    return line;
  }
}
