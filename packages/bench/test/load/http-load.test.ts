import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { httpLoad } from '../../src/load/http-load.ts';

test.each([
  [200, 100_000],
  [200, 0],
  [304, 0],
])('every answer of %d with %d bytes is counted', async (status, bytes) => {
  let answers = 0;
  const server = createServer((request, response) => {
    expect(request.headers['x-asked']).toBe('so');
    answers += 1;
    response.writeHead(status, status === 304 ? {} : { 'content-length': bytes });
    response.end(Buffer.alloc(bytes, 'x'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const load = { port, path: '/', headers: { 'x-asked': 'so' }, connections: 3, durationMs: 100 };
  const { requests, statuses, responseBytes, requestsPerSecond } = await httpLoad(load);
  server.close();
  expect(requests).toBe(answers);
  expect(statuses).toEqual({ [status]: answers });
  expect(responseBytes).toBeGreaterThan(bytes);
  expect(requestsPerSecond).toBeGreaterThan(0);
});

test('an answer without a length is a fault', async () => {
  const server = createServer((_request, response) => {
    response.write('x');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await expect(httpLoad({ port, path: '/', headers: {}, connections: 1, durationMs: 50 })).rejects.toThrow('length');
  server.close();
});
