/* The worst posts within the limits of `post`: each is accepted, or refused by no other limit than that of its name. */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { authorization, type Product, serve, type Taken, tokens } from './product.ts';
import type { Worst } from './worst.ts';

const IS_VERSION_OF = '<http://purl.org/dc/terms/isVersionOf>';
const MIB = 2 ** 20;

/** A post that has to be answered so. */
async function post(
  { port }: Product,
  type: string,
  body: Iterable<string>,
  { gzip = false, status = 201 }: { readonly gzip?: boolean; readonly status?: number } = {},
): Promise<void> {
  const headers = { authorization, 'content-type': type, ...(gzip && { 'content-encoding': 'gzip' }) };
  const sent = request({ port, host: '127.0.0.1', path: '/things', method: 'POST', headers });
  const answered = new Promise<string>((resolve, reject) => {
    sent.once('error', reject).once('response', async (response) => {
      let text = `${response.statusCode} `;
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve(text);
    });
  });
  const bytes = Readable.from(chunked(body));
  if (gzip) bytes.pipe(createGzip({ level: 1 })).pipe(sent);
  else bytes.pipe(sent);
  const answer = await answered;
  if (!answer.startsWith(String(status))) throw new Error(`A post was answered by ${answer.slice(0, 400)}`);
}

const CHUNK = 64 * 1024;
function* chunked(parts: Iterable<string>): Iterable<Buffer> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** A worst body: posted once to a new server. */
function posted(type: string, body: () => Iterable<string>, options: Parameters<typeof post>[3] = {}): Worst['run'] {
  return async (): Promise<Taken> => {
    const server = await serve({ streams: { things: { source: { post: true, tokens }, updates: 'unpredictable' } } });
    try {
      return await server.measured(() => post(server, type, body(), options));
    } finally {
      await server.close();
    }
  };
}

const N_QUADS = 'application/n-quads';
const TURTLE = 'text/turtle';
const JSON_LD = 'application/ld+json';

/** So much of the largest body: the rest would take as long again, and no more memory. */
const BODY_BYTES = 16 * MIB;

function* smallMembers(): Iterable<string> {
  for (let [number, bytes] = [0, 0]; bytes < BODY_BYTES; number += 1) {
    const [entity, value] = [`<http://a.example/${number % 10_000}>`, `"${'x'.repeat(150)}"`];
    const member = `<http://a.example/${number % 10_000}/${number}>`;
    const text = `${member} ${IS_VERSION_OF} ${entity} .\n${member} <http://a.example/says> ${value} .\n`;
    bytes += text.length;
    yield text;
  }
}

function* repeated(count: number, text: (index: number) => string): Iterable<string> {
  for (let index = 0; index < count; index += 1) yield text(index);
}

/** Members as large as one may be, next to each other: a commit has as many as its characters allow. */
function* largeMembers(): Iterable<string> {
  for (let index = 0; index < 32; index += 1) {
    yield `<http://a.example/${index}> <http://a.example/says> "${'x'.repeat(MIB - 200)}" .\n`;
  }
}

function* around(open: string, parts: Iterable<string>, close: string): Iterable<string> {
  yield open;
  yield* parts;
  yield close;
}

const QUADS = 7500;

export const worstPosts = {
  'post of small members': {
    title: '16 MiB of N-Quads, members of two statements, in gzip',
    run: posted(N_QUADS, smallMembers, { gzip: true }),
  },
  'post of large members': {
    title: '32 MiB of N-Triples, members of 1 Mi characters',
    run: posted('application/n-triples', largeMembers),
  },
  'post of many statements': {
    title: 'a Turtle member of 7,500 statements',
    run: posted(TURTLE, () =>
      around(
        '<http://a.example/a> ',
        repeated(QUADS - 1, (index) => `<http://a.example/p${index}> ${index} ;\n`),
        '<http://a.example/z> 1 .',
      ),
    ),
  },
  'post of alike blank nodes': {
    title: 'a Turtle member of 3,700 blank nodes that differ in nothing',
    run: posted(TURTLE, () =>
      around(
        '<http://a.example/a> <http://a.example/p> 1',
        repeated(QUADS / 2 - 1, () => ' ,\n [ <http://a.example/q> 1 ]'),
        ' .',
      ),
    ),
  },
  'post of a cycle of blank nodes': {
    title: 'a Turtle member of 3,000 blank nodes in a cycle',
    run: posted(TURTLE, () =>
      around(
        '<http://a.example/a> <http://a.example/p> _:b0 .\n',
        repeated(3000, (index) => `_:b${index} <http://a.example/next> _:b${(index + 1) % 3000} .\n`),
        '',
      ),
    ),
  },
  'post of a JSON-LD document': {
    title: '16 MiB of JSON-LD, nodes of 40 values',
    run: posted(JSON_LD, () => {
      const values = Array.from({ length: 36 }, (_, index) => `"p${index}":${index}`).join(',');
      const count = Math.floor((16 * MIB - 100) / (values.length + 40));
      const nodes = repeated(
        count,
        (index) => `${index === 0 ? '' : ',\n'}{"@id":"http://a.example/${index}",${values}}`,
      );
      return around('{"@context":{"@vocab":"http://a.example/"},"@graph":[', nodes, ']}');
    }),
  },
  'post of a JSON-LD node': {
    title: 'a JSON-LD node of 7,400 values, 30 levels deep',
    run: posted(JSON_LD, () => {
      const nested = (depth: number): string =>
        depth === 0
          ? '1'
          : `{"q":[${Array.from({ length: 245 }, (_, index) => index).join(',')}],"r":${nested(depth - 1)}}`;
      return [`{"@context":{"@vocab":"http://a.example/"},"@id":"http://a.example/a","p":${nested(30)}}`];
    }),
  },
  'post of a JSON-LD node of ignored values': {
    title: 'a JSON-LD node of 29,000 values that its context does not define',
    run: posted(JSON_LD, () => {
      const ignored = Array.from({ length: 29_000 }, (_, index) => index).join(',');
      return [`{"@context":{"p":"http://a.example/p"},"@id":"http://a.example/a","p":1,"q":[${ignored}]}`];
    }),
  },
  'post of JSON-LD contexts': {
    title: 'JSON-LD of 10 nodes with 10 inner contexts, over 4,900 terms',
    run: posted(JSON_LD, () => {
      const terms = Array.from({ length: 490 }, (_, index) => `"t${index}":"http://a.example/t${index}"`).join(',');
      const nodes = repeated(
        9,
        (index) =>
          `${index === 0 ? '' : ','}{"@context":{"a${index}":"http://a.example/a${index}"},"@id":"http://a.example/${index}","t1":1}`,
      );
      return around(`{"@context":{${terms}},"@graph":[`, nodes, ']}');
    }),
  },
  'post of lines of JSON-LD': {
    title: '32 MiB of NDJSON, lines of 1 Mi characters',
    run: posted('application/x-ndjson', () => {
      const values = repeatedText(64_000);
      return repeated(
        32,
        (index) => `{"@context":{"@vocab":"http://a.example/"},"@id":"http://a.example/${index}","p":"${values}"}\n`,
      );
    }),
  },
  'posts that wait': {
    title: '1,008 posts at a time, each of 1,000 statements',
    run: async () => {
      const server = await serve({ streams: { things: { source: { post: true, tokens }, updates: 'unpredictable' } } });
      const body = (number: number) =>
        around(
          `<http://a.example/${number}> `,
          repeated(999, (index) => `<http://a.example/p${index}> ${index} ;\n`),
          '<http://a.example/z> 1 .',
        );
      try {
        return await server.measured(() =>
          Promise.all(Array.from({ length: 1008 }, (_, number) => post(server, TURTLE, body(number)))),
        );
      } finally {
        await server.close();
      }
    },
  },
} satisfies Record<string, Worst>;

function repeatedText(length: number): string {
  return 'x'.repeat(length);
}
