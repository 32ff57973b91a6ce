import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { residentBytesOf } from '../process-usage.ts';
import { compileC } from './compile-c.ts';
import { groupSubjects } from './group-subjects.ts';
import { startLineProgram } from './line-program.ts';
import type { Subject } from './node-subject.ts';

const HEADER = [
  'HTTP/1.1 200 OK',
  'Content-Type: text/event-stream',
  'Cache-Control: no-store',
  'Transfer-Encoding: chunked',
  '',
  // The first chunk: a comment.
  '3',
  ':\n\n',
  '',
].join('\r\n');

/**
 * The loop in C that writes the same bytes, compiled into a folder; `undefined` where there is no compiler.
 *
 * @param event - the text of an event
 * @param processes - loops that share the readers, with a port each
 */
export async function startEpollSubject(
  event: string,
  folder: string,
  core: number | undefined,
  processes = 1,
): Promise<Subject | undefined> {
  const program = compileC('subjects/epoll-loop', folder);
  if (program === undefined) return undefined;
  const [header, chunk] = [join(folder, 'header'), join(folder, 'event')];
  await writeFile(header, HEADER);
  await writeFile(chunk, `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
  const command = [program, header, chunk];
  const loops = await Promise.all(Array.from({ length: processes }, () => loopSubject(command, core)));
  return processes === 1 ? loops[0] : groupSubjects(loops);
}

async function loopSubject(command: readonly string[], core: number | undefined): Promise<Subject> {
  const running = startLineProgram(command, core);
  return {
    name: 'epoll loop in C',
    port: Number(await running.next('port')),
    path: '/events',
    cpuMicros: async () => {
      running.send('usage');
      return Number(await running.next('usage'));
    },
    residentBytes: () => residentBytesOf([running.pid]),
    publish: async ({ startMicros, intervalMicros, count }) => {
      running.send(`publish ${startMicros} ${intervalMicros} ${count}`);
      await running.next('published');
      return undefined;
    },
    close: () => running.close(),
  };
}
