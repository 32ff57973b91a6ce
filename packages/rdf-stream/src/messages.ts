// RDF Messages: an archive of a stream, a commit a message. Both ways go in pieces, so that a log of any length passes
// through the memory of its longest message.
//   text in pieces  --readMessages-->  Quad[], Quad[], ...  --writeMessages-->  text, a message a piece
//   VERSION "1.1-messages"
//   <http://x/7#v1> <http://x/speed> "12" .      first message
//   MESSAGE
//   MESSAGE                                      an empty one
//   <http://x/7#v2> <http://x/speed> "15" .      third; a delimiter at the end would begin no other
//   MESSAGE
// As NDJSON-LD each line is a message, `{}` an empty one; {"@context": ...} alone sets the context of the lines after it.
import type { Quad } from '@rdfjs/types';
import { errors } from './errors.ts';
import { formats } from './protocol.ts';
import { malformedText, parseQuads, pieceParser, type TextFormat } from './read-rdf.ts';
import { relabelBlankNodes } from './terms.ts';
import { writeQuads } from './write-rdf.ts';

/** The formats that messages are written in: those of the Turtle family with delimiters, and JSON-LD a line each. */
export type MessageFormat = TextFormat | 'ndjsonld';

/**
 * Reads a log of RDF Messages, message by message, reading on as they are asked for. A document of the Turtle family that
 * does not say that it holds messages is one message.
 *
 * Blank nodes are of their message alone: their labels are new ones, `m<number>b0` for the first of a message, and so on.
 *
 * @param text - in pieces that may end anywhere, bytes as UTF-8
 * @param baseIri - what relative IRIs are resolved against
 * @param loadContext - loads the JSON-LD document at a URL, parsed. @defaultValue refuses
 * @returns the messages in order, empty ones included; those that are whole before an error
 * @throws {@link StreamError} `ERR_RDF_MALFORMED` - the text is not of the format; a delimiter without the version that allows
 * it, or within a graph
 * @throws {@link StreamError} `ERR_JSONLD_CONTEXT_REFUSED` - a remote context, which nobody loads
 * @see specs/messages.md MSG-1 to MSG-6, MSG-9
 */
export async function* readMessages(
  text: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  format: MessageFormat,
  baseIri: string,
  loadContext?: (url: string) => Promise<object>,
): AsyncIterable<Quad[]> {
  const pieces = decoded(text, format);
  const messages =
    format === 'ndjsonld' ? lineMessages(pieces, baseIri, loadContext) : delimitedMessages(pieces, format, baseIri);
  let number = 0;
  for await (const quads of messages) {
    yield relabelBlankNodes(quads, number);
    number += 1;
  }
}

async function* decoded(
  text: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  format: MessageFormat,
): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw errors.ERR_RDF_MALFORMED({ format, problem: 'it is not UTF-8.' }, cause);
    }
  };
  for await (const piece of text) yield typeof piece === 'string' ? piece : decode(piece);
  yield decode();
}

/** Characters that are made statements of at a time: a few may stand for many, by prefixes. */
const SLICE = 16_384;

async function* delimitedMessages(
  pieces: AsyncIterable<string>,
  format: TextFormat,
  baseIri: string,
): AsyncIterable<Quad[]> {
  const reader = new DelimitedReader(format, baseIri);
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += SLICE) {
      reader.push(piece.slice(from, from + SLICE));
      yield* reader.whole();
    }
  }
  reader.end();
  yield* reader.whole();
}

/** Puts quads and delimiters together to messages, in the order in which the parser comes upon them. */
class DelimitedReader {
  readonly #format: TextFormat;
  readonly #parser: ReturnType<typeof pieceParser>;
  #messages: Quad[][] = [];
  #current: Quad[] = [];
  #hasDelimiters = false;
  #isFirst = true;
  #failure: unknown;

  constructor(format: TextFormat, baseIri: string) {
    this.#format = format;
    const options = {
      format: formats[format].mediaType,
      baseIRI: baseIri,
      directives: ['message'],
      parseUnsupportedVersions: true,
    };
    // Not `N3.StreamParser`: it emits a directive at once, while the quads before it wait in its queue.
    this.#parser = pieceParser(options, {
      onQuad: (error: Error | null, quad: Quad | null) => {
        if (error) this.#failure ??= error;
        else if (quad) this.#current.push(quad);
      },
      // Labels that end in `-messages` announce delimiters.
      onVersion: (version: string | { readonly value: string }) => {
        this.#hasDelimiters ||= (typeof version === 'string' ? version : version.value).endsWith('-messages');
      },
      onDirective: () => {
        if (this.#failure) return;
        if (this.#hasDelimiters) this.#close();
        else this.#failure = new Error('MESSAGE needs a version such as VERSION "1.1-messages" before it.');
      },
    });
  }

  push(text: string): void {
    this.#parser.push(text);
  }

  end(): void {
    this.#parser.end();
    // A delimiter at the very end begins no message.
    if (!this.#failure && (this.#current.length > 0 || this.#isFirst)) this.#close();
  }

  /** The messages that are whole since it was asked last. */
  *whole(): Iterable<Quad[]> {
    const messages = this.#messages;
    this.#messages = [];
    yield* messages;
    if (this.#failure) throw malformedText(this.#format, this.#failure);
  }

  #close(): void {
    this.#messages.push(this.#current);
    this.#current = [];
    this.#isFirst = false;
  }
}

async function* lineMessages(
  pieces: AsyncIterable<string>,
  baseIri: string,
  loadContext: ((url: string) => Promise<object>) | undefined,
): AsyncIterable<Quad[]> {
  let context: unknown;
  let number = 0;
  for await (const line of linesOf(pieces)) {
    number += 1;
    const object = objectOf(line, number, baseIri);
    const keys = Object.keys(object);
    if (keys.length === 1 && keys[0] === '@context') {
      context = object['@context'];
    } else if (keys.length === 0) {
      yield [];
    } else {
      const document = context === undefined ? object : { '@context': context, '@graph': object };
      yield await parseQuads(JSON.stringify(document), 'jsonld', baseIri, loadContext);
    }
  }
}

/** The lines of a text, at least one. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  // Put together once: a line may come in many pieces.
  let rest: string[] = [];
  let isFirst = true;
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest.push(first);
    for (const next of others) {
      yield rest.join('');
      isFirst = false;
      rest = [next];
    }
  }
  const last = rest.join('');
  if (last !== '' || isFirst) yield last;
}

function objectOf(text: string, line: number, url: string): Record<string, unknown> {
  const malformed = (problem: string, cause?: unknown) =>
    errors.ERR_RDF_MALFORMED({ url, format: 'jsonld', line, problem }, cause);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(`${(cause as Error).message}.`, cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw malformed('the line is not a JSON object.');
}

/** What our messages hold is RDF 1.1. */
const VERSION = 'VERSION "1.1-messages"\n';
const DELIMITER = 'MESSAGE\n';

/**
 * Writes a log of RDF Messages: in a format of the Turtle family with delimiters, or as NDJSON-LD, a message a line. Each
 * message is written when it comes, its delimiter included, so that readers need not wait for the next.
 *
 * @param messages - one or more; a log of none cannot be told from one of an empty message
 * @param prefixes - namespaces by prefix, for Turtle, TriG and JSON-LD
 * @returns the text, a message a piece
 * @throws {@link StreamError} as {@link writeQuads} does
 * @see specs/messages.md MSG-7, MSG-8
 */
export async function* writeMessages(
  messages: AsyncIterable<readonly Quad[]> | Iterable<readonly Quad[]>,
  format: MessageFormat,
  prefixes: Readonly<Record<string, string>>,
): AsyncIterable<string> {
  if (format !== 'ndjsonld') yield VERSION;
  for await (const quads of messages) {
    if (format !== 'ndjsonld') yield `${writeQuads(quads, format, prefixes)}${DELIMITER}`;
    else yield quads.length === 0 ? '{}\n' : `${writeQuads(quads, 'jsonld', prefixes)}\n`;
  }
}
