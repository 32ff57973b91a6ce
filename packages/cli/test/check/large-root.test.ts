import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';

// Work that grows with the square of these would outlast the patience of the test many times over.
const COUNT = 20_000;

test('a root that leads to very many nodes and has very many members is checked', async () => {
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`;
    if (request.url !== '/s') {
      response.writeHead(404).end();
      return;
    }
    const lines = [`<#stream> tree:view <> ; ldes:timestampPath <#t> .`];
    for (let index = 0; index < COUNT; index += 1) {
      lines.push(
        `<> tree:relation [ a tree:Relation ; tree:node <s/${index}> ] . <#stream> tree:member <#m${index}> .`,
      );
    }
    const prefixes = `@base <${url}> . @prefix tree: <https://w3id.org/tree#> . @prefix ldes: <https://w3id.org/ldes#> .`;
    response.writeHead(200, { 'content-type': 'text/turtle' }).end([prefixes, ...lines].join('\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const edge = { clock: Date.now, interrupted: new AbortController().signal };
  const { evidence } = await checkStream(`http://127.0.0.1:${port}/s`, { pages: 2, pauseMs: 0 }, edge);
  expect(evidence.nodes[0]?.relations).toHaveLength(COUNT);
  expect(evidence.nodes[0]?.members).toHaveLength(COUNT);
  server.close();
});
