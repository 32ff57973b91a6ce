/* What users run against the demonstration: the command, the programs of READMEs, the examples of queries. */
import { execFileSync } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import process from 'node:process';
import { type Format, formats, parseQuads } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { listen } from '@ldes-live/test-support/net';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMAND, demonstration, startCommand, startExample, startProcess } from './support/commands.ts';
import { serveExample, startStandIn } from './support/served-example.ts';

const PATIENT = { timeout: 120_000 };
const ESCAPE = '\u001b';

let base = '';
let url = '';
beforeAll(async () => {
  base = await demonstration();
  url = `${base}vehicles`;
});

const shell = (line: string, env: Readonly<Record<string, string>> = {}) =>
  startProcess('sh', ['-c', line], { env: { ...process.env, ...env } });
const follow = (...options: readonly string[]) =>
  [process.execPath, COMMAND, 'follow', url, ...options].map((word) => `'${word}'`).join(' ');

describe.concurrent('the command', PATIENT, () => {
  test('DOC-7 the demonstration is Linked Data in five formats that say the same', async () => {
    await eventually(async () => expect(new Set(await sameInAllFormats(url)).size).toBe(1));
  });

  test('it follows by push where the MAL is tight, and by pull where it is loose', async ({ onTestFinished }) => {
    const tight = startCommand(['follow', url, '--mal', '1', '--count', '60']);
    const loose = startCommand(['follow', url, '--mal', '60']);
    onTestFinished(() => tight.stop());
    onTestFinished(() => loose.stop());
    expect(await tight.ended).toBe(0);
    expect(tight.output()).toMatch(/push: MAL 1 s is below the break-even of 10 s/);
    expect(tight.output()).toMatch(/push .*changed.* lag \d+/);
    await loose.prints(/pull: MAL 60 s is not below the break-even of 10 s/);
    loose.child.kill('SIGINT');
    expect(await loose.ended).toBe(0);
  });

  test('a process ends with its command, though a server holds a connection open and says nothing', async ({
    onTestFinished,
  }) => {
    const heard: Socket[] = [];
    const silent = createServer((socket) => void heard.push(socket.on('error', () => {})));
    const store = `nats://127.0.0.1:${await listen(silent)}`;
    onTestFinished(() => void silent.close());
    const source = `{ post: true, tokens: ["${'0'.repeat(64)}"] }`;
    const config = `publicUrl: http://live.example/\nstore: ["${store}"]\nstreams: { posted: { source: ${source} } }\n`;
    const start = async () => {
      const folder = await temporaryFolder({ 'config.yml': config }, { onTestFinished });
      return startCommand(['serve', 'config.yml', '--port', '0'], folder);
    };
    const [failing, told] = [await start(), await start()];
    const said = () => [failing, told].map(({ child, errorOutput }) => `${child.exitCode} ${errorOutput()}`).join('\n');
    await eventually(() => expect(heard.length, said()).toBeGreaterThanOrEqual(2), { forMs: 60_000 });
    told.child.kill('SIGTERM');
    expect([await told.ended, told.errorOutput()]).toEqual([0, '']);
    expect([await failing.ended, failing.errorOutput()]).toEqual([1, expect.stringMatching(/^ERR_NATS_\w+: /)]);
  });

  test('JSON-LD goes through a pipe: an object a line that says all of itself, and nothing else', async () => {
    const pipe = shell(`${follow('--mal', '1', '--format', 'jsonld', '--count', '30')} | cat`);
    expect(await pipe.ended).toBe(0);
    const lines = pipe.output().split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(30);
    for (const line of lines) {
      const { '@context': context, '@id': id, ...said } = JSON.parse(line);
      // No document besides is needed to read it.
      expect(JSON.stringify(context)).not.toMatch(/"@import"|^"http/);
      expect(id).toMatch(/^http:.*#\d{4}-/);
      expect(said).toHaveProperty('dct:isVersionOf');
    }
    expect(pipe.errorOutput()).toMatch(/ {2}push: /);
  });

  test('it ends without a word when its reader has enough', async () => {
    const pipe = shell(`{ ${follow('--mal', '1', '--format', 'jsonld')}; echo "ended by $?" >&2; } | head -n 1`);
    expect(await pipe.ended).toBe(0);
    expect(JSON.parse(pipe.output())['dct:isVersionOf']).toContain('/entities/');
    expect(pipe.errorOutput()).toContain('ended by 0');
    expect(pipe.errorOutput()).not.toContain('EPIPE');
  });

  // `script` gives it a terminal of its own, and what is typed reaches it as from a keyboard.
  test.skipIf(!hasTerminals())('on a terminal it draws in place, and Ctrl-C leaves it as it was', async () => {
    const line = `stty cols 70 rows 12; exec ${follow('--mal', '1')}`;
    const terminal = shell(`script -qefc "$LINE" /dev/null`, { LINE: line, TERM: 'xterm' });
    const frames = () => expect(terminal.output().split(`${ESCAPE}[J`).length).toBeGreaterThan(5);
    await eventually(frames, { forMs: 60_000 });
    await terminal.prints(/lag .*[▁▂▃▄▅▆▇█×]/);
    terminal.child.stdin.write('\u0003');
    expect(await terminal.ended).toBe(0);
    const output = terminal.output();
    expect(output).toMatch(/changes, last by push: /);
    for (const [hidden, shown] of [
      ['[?25l', '[?25h'],
      ['[?7l', '[?7h'],
    ] as const) {
      expect(output.lastIndexOf(ESCAPE + shown)).toBeGreaterThan(output.lastIndexOf(ESCAPE + hidden));
    }
    expect(output).not.toContain(`${ESCAPE}[?1049`);
    // No frame goes further up than it is high, or it would draw over what was there before.
    const ups = output.split(ESCAPE).flatMap((piece) => /^\[(\d+)A/.exec(piece)?.[1] ?? []);
    expect(Math.max(...ups.map(Number))).toBeLessThanOrEqual(11);
  });

  test.skipIf(!hasTerminals())('on a dumb terminal it prints lines', async () => {
    const line = follow('--mal', '1', '--count', '5');
    const terminal = shell(`script -qefc "$LINE" /dev/null`, { LINE: line, TERM: 'dumb' });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).toMatch(/ {2}(pull|push) {2}5 new/);
    expect(terminal.output()).not.toContain(ESCAPE);
  });

  test('it runs benchmarks, and its help names every experiment that there is', async () => {
    const [unknown, help] = [startCommand(['bench', 'nothing']), startCommand(['bench', '--help'])];
    expect([await unknown.ended, await help.ended]).toEqual([2, 0]);
    const [, names = ''] =
      /^Unknown experiment "nothing": give one of (.*), or all\./.exec(unknown.errorOutput()) ?? [];
    const experiments = names.split(', ');
    expect(experiments).toEqual(expect.arrayContaining(['e1', 'e2', 'e3', 'e4', 'capacity', 'fanout', 'client']));
    for (const name of experiments) expect(help.output()).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });
});

/** Whether the program `script` of util-linux is there: others take other options. */
function hasTerminals(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}

// What each format says, blank node labels apart; a commit in between makes a difference.
async function sameInAllFormats(stream: string): Promise<string[]> {
  return Promise.all(
    (Object.keys(formats) as Format[]).map(async (format) => {
      const response = await fetch(`${stream}/latest`, { headers: { accept: formats[format].mediaType } });
      expect(response.headers.get('content-type')?.split(';')[0]).toBe(formats[format].mediaType);
      const quads = await parseQuads(await response.text(), format, stream);
      const vehicles = quads.filter(({ predicate }) => predicate.value === 'https://w3id.org/tree#member');
      expect(vehicles.length, format).toBeGreaterThan(10);
      const plain = quads.map(({ subject, predicate, object }) =>
        [subject, predicate, object].map((term) => (term.termType === 'BlankNode' ? '_' : term.value)).join(' '),
      );
      return plain.sort().join('\n');
    }),
  );
}

describe.concurrent('the example', PATIENT, () => {
  /** Lines that an example prints until it ends by itself. */
  const printed = async (name: string, stream: string, ...args: readonly string[]): Promise<string[]> => {
    const example = startExample(`queries/${name}.js`, '--url', stream, ...args);
    expect(await example.ended, example.errorOutput()).toBe(0);
    return example.output().trim().split('\n').filter(Boolean);
  };

  test('late-vehicles tells how many trips of each line are late, as of when', async () => {
    const lines = await printed('late-vehicles', `${base}trips`, '--results', '1');
    expect(lines).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}(all on time|line \S+: \d+(, line \S+: \d+)*)$/),
    ]);
  });

  test('lines-of-vehicles joins vehicles with the lines of their timetable', async () => {
    const lines = await printed('lines-of-vehicles', url, '--results', '2');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines)
      expect(line).toMatch(/^(Tram|Bus) (\d)\d+ of line \2 \(#[0-9a-f]{6}\), [\w ]+ - [\w ]+: \d+ km\/h$/);
  });

  test('garages-nearby tells which garages have room, those within the distance only', async (context) => {
    const { port } = await startStandIn(context, 'parking');
    const garages = `${await serveExample(context, 'parking', { 8083: port })}garages`;
    const [all, near] = await Promise.all(
      ['50', '0.5'].map((km) => printed('garages-nearby', garages, '--results', '1', '--km', km)),
    );
    expect(all?.length).toBeGreaterThan(near?.length ?? 0);
    for (const line of [...(all ?? []), ...(near ?? [])]) expect(line).toMatch(/: \d+ free, \d+\.\d km away$/);
    for (const line of near ?? []) expect(Number(/([\d.]+) km away/.exec(line)?.[1])).toBeLessThanOrEqual(0.5);
  });

  test('sensor-average tells the average of a window, and raises the alarm', async (context) => {
    const { port } = await startStandIn(context, 'sensorthings');
    const levels = `${await serveExample(context, 'sensorthings', { 8084: port })}levels`;
    const lines = await printed('sensor-average', levels, '--minutes', '0.1', '--results', '3', '--alarm', '9');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) {
      const [, level = '', alarm = ''] = /: (\d+\.\d\d) over \d+ readings( {2}ALARM)?$/.exec(line) ?? [];
      expect(level).not.toBe('');
      expect(alarm !== '').toBe(Number(level) > 9);
    }
  });
});
