/* A stream in memory, published by the real server without sockets, with a member that others stored before.
 *
 * What inputs add to it is read by parsers of other people in all five formats, and each says the same. */
import { createMemoryStore, type Log } from '@ldes-live/log';
import {
  type Draft,
  describeStream,
  formatCursor,
  literal,
  type Member,
  namedNode,
  quad,
  type StreamDescription,
  xsd,
} from '@ldes-live/rdf-stream';
import { type IngestOptions, liveStreams } from '@ldes-live/server';
import Fastify, { type FastifyInstance } from 'fastify';
import jsonld from 'jsonld';
import { Parser } from 'n3';
import { Violation } from './target.ts';

type Quad = Member['quads'][number];

export const PUBLIC_URL = 'http://localhost:3000/';
export const STREAM_URL = `${PUBLIC_URL}fuzz`;
const SENTINEL = `${STREAM_URL}/entities/what-others-stored`;
const NOW_MS = Date.parse('2026-01-01T00:00:10.250Z');

const TEXT_TYPES = ['application/n-quads', 'application/n-triples', 'text/turtle', 'application/trig'] as const;

/** A published stream whose only readers are checks. */
export class Published {
  readonly app: FastifyInstance;
  readonly log: Log;
  readonly description: StreamDescription;
  readonly #faults: string[];
  #sentinel = '';

  private constructor(app: FastifyInstance, log: Log, description: StreamDescription, faults: string[]) {
    this.#faults = faults;
    this.description = description;
    this.app = app;
    this.log = log;
  }

  static async open(ingest?: IngestOptions): Promise<Published> {
    const clock = () => NOW_MS;
    const description = describeStream({ publicUrl: PUBLIC_URL, name: 'fuzz', title: 'Fuzz' });
    const log = await createMemoryStore({ clock, random: () => 0.5 }).open(description);
    const faults: string[] = [];
    const logger = { level: 'error', stream: { write: (line: string) => void faults.push(line) } };
    const app = Fastify({ logger, forceCloseConnections: true });
    const stream = { description, log, schedule: () => ({ kind: 'unknown' }) as const, ...(ingest && { ingest }) };
    await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [stream], clock, random: () => 0.5 });
    const published = new Published(app, log, description, faults);
    const said = quad(namedNode(SENTINEL), namedNode('http://example.org/says'), literal('as it was \u{1f68b}'));
    await log.append([{ kind: 'upsert', entity: SENTINEL, origin: 'others', fingerprint: '1', quads: [said] }]);
    published.#sentinel = await published.#readSentinel();
    return published;
  }

  /** What the server logged of its last fault. */
  lastFault(): string {
    const { err } = JSON.parse(this.#faults.pop() ?? '{}') as { err?: { stack?: string } };
    return err?.stack ?? 'nothing was logged';
  }

  /** Appends what a source made: its drafts have to be such that a log takes them. */
  async append(drafts: readonly Draft[]): Promise<void> {
    if (drafts.length > 0) await this.log.append(drafts);
  }

  /** Throws where what others stored has changed, or a document cannot be read. */
  async check(): Promise<void> {
    if ((await this.#readSentinel()) !== this.#sentinel) throw new Violation('The member that others stored changed.');
    for (const path of await this.#pages()) await this.#checkDocument(path);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.log.close();
  }

  async #readSentinel(): Promise<string> {
    const stored = JSON.stringify(await this.log.read(0, 1));
    return stored + (await this.read(SENTINEL.slice(PUBLIC_URL.length - 1), 'application/n-quads'));
  }

  async #pages(): Promise<string[]> {
    const { epoch } = this.log.head.cursor;
    const paths: string[] = [];
    let at = `/fuzz/pages/${epoch}/0`;
    for (let page = 0; (await this.app.inject({ url: at })).statusCode === 200; page += 1) {
      paths.push(at);
      at = `/fuzz/pages/${epoch}/${page + 1}`;
    }
    if (paths.length === 0) throw new Violation(`There is no page at ${formatCursor(this.log.head.cursor)}.`);
    return paths;
  }

  /** Reads a document as text. */
  async read(path: string, accept: string): Promise<string> {
    const { statusCode, body } = await this.app.inject({ url: path, headers: { accept } });
    if (statusCode !== 200) throw new Violation(`${path} as ${accept} is answered by ${statusCode}: ${body}`);
    return body;
  }

  async #checkDocument(path: string): Promise<void> {
    const readings = TEXT_TYPES.map(async (format) => {
      const text = await this.read(path, format);
      return [
        format,
        independently(format, path, () => new Parser({ format, baseIRI: `${PUBLIC_URL}x` }).parse(text)),
      ] as const;
    });
    const [[, first], ...others] = (await Promise.all(readings)) as [
      readonly [string, Quad[]],
      ...(readonly [string, Quad[]])[],
    ];
    const expected = linesOf(first);
    for (const [format, quads] of [...others, ['application/ld+json', await this.#jsonLd(path)] as const]) {
      const lines = linesOf(quads);
      const lacking = [...expected].find((line) => !lines.has(line));
      const added = [...lines].find((line) => !expected.has(line));
      if (lacking === undefined && added === undefined) continue;
      throw new Violation(`${path} as ${format} differs: it lacks ${lacking}, and adds ${added}.`);
    }
  }

  async #jsonLd(path: string): Promise<Quad[]> {
    const document = JSON.parse(await this.read(path, 'application/ld+json'));
    const documentLoader = async (url: string) => {
      const content = JSON.parse(await this.read(url.slice(PUBLIC_URL.length - 1), 'application/ld+json'));
      return { contextUrl: undefined, documentUrl: url, document: content };
    };
    const text = (await jsonld.toRDF(document, {
      documentLoader,
      format: 'application/n-quads',
    } as object)) as unknown as string;
    return independently('JSON-LD', path, () => new Parser({ format: 'application/n-quads' }).parse(text));
  }
}

function independently(format: string, path: string, parse: () => Quad[]): Quad[] {
  try {
    return parse();
  } catch (cause) {
    throw new Violation(`${path} as ${format} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

// Blank nodes have other names in each format, so what is said of them is compared without. N-Triples has no graphs. Doubles
// are written in another form by `jsonld`, with 16 digits, and it reads their beginning where they are none.
function linesOf(quads: readonly Quad[]): Set<string> {
  return new Set(quads.map(({ subject, predicate, object }) => `${said(subject)} ${predicate.value} ${said(object)}`));
}

function said(term: Quad['subject'] | Quad['object']): string {
  if (term.termType === 'BlankNode') return '_:';
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const value = term.datatype.value === xsd.double ? Number.parseFloat(term.value).toExponential(15) : term.value;
  return JSON.stringify([value, term.language.toLowerCase(), term.datatype.value]);
}
