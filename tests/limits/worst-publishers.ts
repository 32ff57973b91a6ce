/* The worst that a server may answer a client within its limits: a program follows it until it has what there is, or gives up. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_LIMITS } from '@ldes-live/client';
import { runCommand, type Taken } from './product.ts';
import type { Worst } from './worst.ts';

type Answers = (response: ServerResponse, base: string, path: string) => void;

/** Follows an LDES of another server, until so many members have come. */
function followed(answers: Answers, count: number, args: readonly string[] = []): () => Promise<Taken> {
  return async () => {
    const server = createServer(({ url = '/' }, response) => answers(response, base, url)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = once(server, 'request');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const command = ['follow', `${base}ldes`, '--mal', '60', '--from', 'start', '--count', String(count)];
      return await runCommand([...command, '--timeout', '120', '--format', 'nq', ...args], asked);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
}

/** One page of an LDES as Turtle or N-Quads, with members of so many statements. */
function page(mediaType: string, members: number, statements: number, characters: number): Answers {
  // The IRIs of a page are of its server, and each repeat has one of its own.
  const bodies = new Map<string, Buffer>();
  return (response, base) => {
    const body = bodies.get(base) ?? pageOf(base, mediaType, members, statements, 'x'.repeat(characters));
    bodies.clear();
    bodies.set(base, body);
    response.writeHead(200, { 'content-type': mediaType, 'content-length': body.length }).end(body);
  };
}

function pageOf(base: string, mediaType: string, members: number, statements: number, value: string): Buffer {
  const [stream, tree, ldes] = [`${base}ldes#stream`, 'https://w3id.org/tree#', 'https://w3id.org/ldes#'];
  if (mediaType === 'application/ld+json') {
    const list = Array.from({ length: members }, (_, member) => {
      const own = Array.from({ length: statements - 1 }, (_, index) => `"p${index}":"${value}"`).join(',');
      return `{"@id":"${base}m${member}",${own}}`;
    });
    const context = `{"@vocab":"http://a.example/","member":{"@id":"${tree}member"},"view":{"@id":"${tree}view","@type":"@id"}}`;
    return Buffer.from(
      `{"@context":${context},"@id":"${stream}","@type":"${ldes}EventStream","view":"${base}ldes","member":[${list.join(',\n')}]}`,
    );
  }
  const head = [
    `<${stream}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${ldes}EventStream> .`,
    `<${stream}> <${tree}view> <${base}ldes> .`,
  ];
  const all = Array.from({ length: members }, (_, member) => {
    const own = Array.from(
      { length: statements - 1 },
      (_, index) => `<${base}m${member}> <http://a.example/p${index}> "${value}" .`,
    );
    return `<${stream}> <${tree}member> <${base}m${member}> .\n${own.join('\n')}`;
  });
  return Buffer.from([...head, ...all].join('\n'));
}

const QUADS = DEFAULT_LIMITS.documentQuads - 10;

export const worstPublishers = {
  'document of many statements, N-Quads': {
    title: 'N-Quads of 500,000 statements of 66 bytes',
    run: followed(page('application/n-quads', QUADS / 10, 10, 0), Math.floor(QUADS / 10)),
  },
  'document of many statements, Turtle': {
    title: 'Turtle of 500,000 statements',
    run: followed(page('text/turtle', QUADS / 10, 10, 0), Math.floor(QUADS / 10)),
  },
  'document of many statements, JSON-LD': {
    // A value that the library reads counts as ten.
    title: 'JSON-LD of 45,000 values, with a context that takes the library',
    run: followed(page('application/ld+json', 4_500, 10, 5), 4_500),
  },
  'document of long texts': {
    title: 'Turtle of 29 MiB in 500 statements',
    run: followed(page('text/turtle', 52, 10, 60_000), 52),
  },
  'member of many statements': {
    title: 'N-Quads of a member of 75,000 statements',
    run: followed(page('application/n-quads', 1, DEFAULT_LIMITS.memberQuads - 1, 10), 1),
  },
} satisfies Record<string, Worst>;
