import { expect, test } from 'vitest';
import { runCommand } from '../run-command.ts';
import { measuredServer } from './measured-server.ts';

const PUBLISHED = ['--requests-per-second', '2520', '--deliveries-per-second', '5000', '--every', '5'];

test('the answer comes first, then both modes, then what was reckoned with', async () => {
  const { code, output, errorOutput } = await runCommand('capacity', '--users', '10000', '--mal', '2', '--every', '20');
  expect([code, errorOutput]).toEqual([0, '']);
  const lines = output.split('\n');
  expect(lines[0]).toBe('Push serves them: 10,000 users at MAL 2 s need 1 core, 256 MiB and 2.6 MB/s.');
  expect(lines[1]).toMatch(/^Polling would need 1 core, /);
  expect(lines[2]).toBe('Both need 1 core: push uses 13 % of it at its peak, polling 50 %.');
  expect(lines[3]).toBe('Break-even: MAL 80 s. Push takes less processor time below it, polling above.');
  expect(lines[4]).toBe('Clients are pushed to: a server advertises a break-even of 10 s unless told otherwise.');
  expect(output).not.toContain('config.yml');
  expect(output).toMatch(/^ +cores +busy +a second +a second, peak +memory +sent +sent, peak +gzip +gzip, peak$/m);
  expect(output).toMatch(/^push +1 +13 % +500 +5,000 events +256 MiB +2.6 MB\/s +26.3 MB\/s +263 kB\/s +2.6 MB\/s$/m);
  expect(output).toMatch(/^polling, CDN +1 +0.5 % +5 +50 requests/m);
  expect(output).toContain('an update every 20 s (given)');
  expect(output).toContain('10,000 requests/s a core (by default: --requests-per-second');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(110);
});

test('CAP-15 where clients would choose the other mode, it says so and prints what to state', async () => {
  const { output } = await runCommand('capacity', '--users', '1000', '--mal', '60', '--every', '20');
  expect(output).toMatch(/^Push serves them/);
  expect(output).toContain('Clients poll: a server advertises a break-even of 10 s unless told otherwise.');
  expect(output).toMatch(/^For push, put this below the stream in config\.yml: {2}breakEven: 80s$/m);
  const cdn = await runCommand('capacity', '--users', '10000', '--mal', '2', '--every', '20', '--cdn');
  expect(cdn.output).toMatch(/^For polling, put this .* breakEven: 0s$/m);
});

test('CAP-14 where both take about as much, it says that either will do, and what decides', async () => {
  const { output } = await runCommand('capacity', '--users', '10000', '--mal', '75', '--every', '20');
  expect(output).toMatch(
    /^Either serves them: 10,000 users at MAL 75 s need 1 core, .* by push,\n1 core, .* by polling\./,
  );
  expect(output).toContain('Polling takes less memory and sends less.');
  expect(output).not.toContain('config.yml');
});

test('CAP-16 a state of another size than measured, and a core that sends too much, are warned of', async () => {
  const { output } = await runCommand('capacity', '--users', '1000000', '--mal', '2', '--payload', '200000');
  expect(output).toContain('Warning: the rates are those of a state of 5.2 kB; of 200 kB a core does fewer');
  expect(output).toContain('Warning: by push a core would send 5.6 GB/s');
  expect(output).toContain('Warning: by polling a core would send 1.4 GB/s');
});

test('JSON has the units in its names', async () => {
  const { code, output } = await runCommand(
    'capacity',
    ...['--users', '25200', '--mal', '10', '--format', 'json', '--payload', '100'],
    ...PUBLISHED,
  );
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    mode: 'pull',
    isBreakEvenReckoned: true,
    users: 25_200,
    malSeconds: 10,
    intervalSeconds: 5,
    payloadBytes: 100,
    cdnPops: 100,
    withCdn: false,
    costs: { requestsPerSecond: 2520, deliveriesPerSecond: 5000, utilisation: 0.7 },
    origins: { interval: 'given', payload: 'given', requests: 'given', deliveries: 'given' },
    straight: {
      pull: { peakPerSecond: 2520, busyCores: 1, cores: 2, connections: 25_200 },
      push: { peakPerSecond: 5040, meanPerSecond: 5040, cores: 2 },
    },
    cdn: { pull: { peakPerSecond: 20, cores: 1 } },
  });
});

test('a server of this machine is measured, and tells what was not given', async () => {
  const server = await measuredServer((_, response) =>
    response
      .writeHead(200, {
        'cache-control': 'max-age=20',
        link: '</events>; rel="alternate"; break-even="12.5"',
      })
      .end('x'.repeat(700)),
  );
  const { code, output, errorOutput } = await runCommand(
    'capacity',
    '--users',
    '10',
    '--mal',
    '2',
    '--measure',
    server.url,
  );
  expect([code, errorOutput]).toEqual([0, '']);
  expect(output).toContain('an update every 20 s (measured)');
  expect(output).toContain('a state of 700 B in each of them (measured)');
  expect(output).toMatch(/[\d,]+ requests\/s (a core \(measured\)|of this machine beside this program \(measured\))/);
  expect(output).toMatch(/deliveries\/s a core \(4 times the requests/);
  expect(output).toContain('Break-even: MAL 80 s.');
  expect(output).toMatch(/This program took \d+ % of a core/);
  expect(output).toContain('Clients are pushed to: this server advertises a break-even of 13 s.');
}, 10_000);
