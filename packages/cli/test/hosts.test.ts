import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { clientFor, refusePrivateSockets } from '../src/hosts.ts';
import { runCommand } from './run-command.ts';

async function listening() {
  const asked: string[] = [];
  const server = await httpServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('here');
  });
  onTestFinished(() => server.close());
  return { asked, url: server.url };
}

test('a socket of fetch to an address that is not public is ended before anything is sent', async () => {
  const { asked, url } = await listening();
  const stop = refusePrivateSockets();
  const cause = { message: '127.0.0.1 is not a public address, and was not requested (--hosts any allows all)' };
  // As after a lookup that said otherwise: nothing but the socket is judged.
  for (let time = 0; time < 3; time += 1) await expect(fetch(url)).rejects.toMatchObject({ cause });
  expect(asked).toEqual([]);
  stop();
  expect(await (await fetch(url)).text()).toBe('here');
});

test('follow --hosts public contacts no address of a private network', async () => {
  const { asked, url } = await listening();
  const { code, errorOutput } = await runCommand('follow', url, '--mal', '1', '--hosts', 'public');
  expect([code, asked]).toEqual([1, []]);
  expect(errorOutput).toMatch(/127\.0\.0\.1 is not a public address/);
});

test('each URL is kept to the hosts that are like its own, unless it is said otherwise', async () => {
  const [outside, inside] = ['http://93.184.215.14/s', 'http://127.0.0.1/s'];
  const asked: string[] = [];
  const redirecting: typeof fetch = async (url) => {
    asked.push(String(url));
    return new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/latest' } });
  };
  const outcome = async (url: string, hosts?: 'any') => {
    const { client, close } = await clientFor([outside, inside], hosts, { mal: 1, fetch: redirecting });
    onTestFinished(close);
    return await client
      .follow(url)
      .run()
      .catch(({ code }) => code);
  };
  expect(await outcome(outside)).toBe('ERR_HOST_FORBIDDEN');
  // Here fetch itself follows redirects, and this one does not.
  expect(await outcome(inside)).toBe('ERR_RESPONSE_STATUS');
  expect(await outcome(outside, 'any')).toBe('ERR_RESPONSE_STATUS');
  expect(asked).toEqual([outside, inside, outside]);
});
