import { connect } from 'node:net';
import { startAsking } from '../subjects/c-loops.ts';
import { AnswerReader } from './answers.ts';
import { EffortWatch } from './effort.ts';

/** What a load asks for, and how hard. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of all answers. */
  readonly status: 200 | 304;
  /** Kept-alive connections, each of which asks again as soon as it is answered. */
  readonly connections: number;
  readonly durationMs: number;
  /** Where the clients in C are compiled to; absent, or without a compiler: they are in this process. */
  readonly folder?: string;
}

/**
 * Asks for one URL over and over for a while, at less cost than what is measured.
 *
 * @returns the requests, and values of a cell: bytes of the last answer, header included; and which share of a core the load took,
 * unless it was in Node.js, where it costs as much as a server, so that it is refused
 * @throws Error - a connection failed, or an answer has another status
 */
export async function httpLoad(load: Load) {
  const { port, connections: clients, durationMs, status, folder } = load;
  const asking = folder && (await startAsking({ ...load, ports: [port], clients, folder }));
  const round = asking ? await asking.closed(durationMs, 0).finally(() => asking.stop()) : await askFromHere(load);
  const { served: requests, unmodified, failed, answerBytes: responseBytes, effort } = round;
  const others = status === 304 ? requests - unmodified : unmodified + failed;
  if (others > 0) throw new Error(`${others} of ${requests} answers were not ${status}`);
  const loadShare = effort.cpuMicros / effort.wallMicros;
  if (!asking) return { requests, values: { responseBytes }, refused: 'without a C compiler the load is in Node.js' };
  return { requests, values: { requestsPerSecond: (requests * 1e6) / effort.wallMicros, responseBytes, loadShare } };
}

async function askFromHere({ port, path, headers, connections, durationMs }: Load) {
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = `GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`;
  const round = { served: 0, unmodified: 0, failed: 0, answerBytes: 0 };
  const [startMs, watch] = [performance.now(), new EffortWatch()];
  const ask = async () => {
    const [socket, answers] = [connect({ port, host: '127.0.0.1', noDelay: true }), new AnswerReader()];
    socket.write(request);
    for await (const bytes of socket) {
      const answer = answers.feed(bytes);
      if (answer === undefined) continue;
      round.served += 1;
      round.answerBytes = answer.wholeBytes;
      if (answer.status === 304) round.unmodified += 1;
      else if (answer.status !== 200) round.failed += 1;
      if (performance.now() - startMs >= durationMs) return;
      socket.write(request);
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return { ...round, effort: watch.take() };
}
