import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import { nextAddress } from '../load/load-address.ts';
import { MOST_CONNECTIONS } from '../setting.ts';
import { compileC } from '../subjects/compile-c.ts';
import { type LineProgram, startLineProgram } from '../subjects/line-program.ts';

/** Clients in C that ask for one document. */
export interface RequestLoopPlan {
  /** Ports of 127.0.0.1, taken in turns. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly clients: number;
  /** Of all its processes; `undefined` for any. */
  readonly core: number | undefined;
  /** Where its program is, or is compiled to. */
  readonly folder: string;
}

/** What came of asking for a while; JSON. */
export interface RequestRound {
  /** Requests that were due. */
  readonly asked: number;
  /** Answers that came in time. */
  readonly served: number;
  /** Requests that were due while the one before was under way. */
  readonly late: number;
  /** Answers other than 200. */
  readonly failed: number;
  /** CPU time of all its processes. */
  readonly cpuMicros: number;
  readonly wallMicros: number;
  /** The longest that it was late to ask, or busy with what had come. */
  readonly longestLoopLagMicros: number;
  /** Answers that came in each tenth of the time. */
  readonly servedInTenths: readonly number[];
  /** From when a request was due until its answer was whole. */
  readonly responseTime: LatencyCounts;
  readonly processes: number;
}

/** Clients that are connected. */
export interface RequestLoop {
  /** Each asks again so long after it is answered. */
  closed(durationMs: number, pauseMs: number): Promise<RequestRound>;
  /** Each asks once every period, whether it is answered or not. */
  open(durationMs: number, periodMs: number): Promise<RequestRound>;
  stop(): Promise<void>;
}

/**
 * Connects clients; `undefined` where there is no compiler for them.
 *
 * @throws Error - they could not be connected
 */
export async function startRequestLoop(plan: RequestLoopPlan): Promise<RequestLoop | undefined> {
  const program = compileC('e1/request-loop', plan.folder);
  if (program === undefined) return undefined;
  const processes = Math.ceil(plan.clients / MOST_CONNECTIONS);
  const running = Array.from({ length: processes }, (_, index) => {
    const own = Math.ceil((plan.clients - index) / processes);
    return startLineProgram([program, plan.ports.join(','), plan.path, String(own), nextAddress()], plan.core);
  });
  await Promise.all(running.map((one) => one.next('open')));
  const order = async (line: string) => {
    for (const one of running) one.send(line);
    return mergeRounds(await Promise.all(running.map(roundOf)));
  };
  return {
    closed: (durationMs, pauseMs) => order(`closed ${Math.round(durationMs * 1000)} ${Math.round(pauseMs * 1000)}`),
    open: (durationMs, periodMs) => order(`open ${Math.round(durationMs * 1000)} ${Math.round(periodMs * 1000)}`),
    stop: async () => void (await Promise.all(running.map((one) => one.close()))),
  };
}

async function roundOf(running: LineProgram): Promise<RequestRound> {
  return readRound(await running.next('done'));
}

/** What the program tells of a round. */
function readRound(told: string): RequestRound {
  const numbers = told.split(' ').map(Number);
  const [asked, served, late, failed, cpuMicros, wallMicros, longestLoopLagMicros, max] = numbers as EightNumbers;
  const [servedInTenths, counts] = [numbers.slice(8, 18), numbers.slice(18)];
  const responseTime = { max, counts };
  const counted = { asked, served, late, failed, servedInTenths };
  return { ...counted, cpuMicros, wallMicros, longestLoopLagMicros, responseTime, processes: 1 };
}

type EightNumbers = [number, number, number, number, number, number, number, number];

/** What several processes met, as if they were one. */
function mergeRounds(rounds: readonly RequestRound[]): RequestRound {
  const responseTime = new LatencyHistogram();
  for (const round of rounds) responseTime.add(round.responseTime);
  const sum = (count: (round: RequestRound) => number) => rounds.reduce((total, round) => total + count(round), 0);
  return {
    asked: sum((round) => round.asked),
    served: sum((round) => round.served),
    late: sum((round) => round.late),
    failed: sum((round) => round.failed),
    servedInTenths: (rounds[0]?.servedInTenths ?? []).map((_, tenth) =>
      sum((round) => round.servedInTenths[tenth] ?? 0),
    ),
    cpuMicros: sum((round) => round.cpuMicros),
    wallMicros: Math.max(...rounds.map((round) => round.wallMicros)),
    longestLoopLagMicros: Math.max(...rounds.map((round) => round.longestLoopLagMicros)),
    responseTime: responseTime.toSparse(),
    processes: rounds.length,
  };
}
