import { numberText } from '../report/number-text.ts';

/** What was published of a way: a job's bytes as the user received and sent them, and the server's CPU time. */
export interface PublishedWay {
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Of all jobs, seconds. */
  readonly cpuSeconds: number;
  /** As the table of the article prints it, where that is not what its nanoseconds say. */
  readonly printedCpuSeconds?: number;
}

/** Address of what is repeated. */
export const PUBLISHED_SOURCE = 'https://phillbarber.blogspot.com/2018/05/efficiency-of-polling-vs-websockets.html';

/** Published figures, by the names of the ways. */
export const PUBLISHED_WAYS: Readonly<Record<string, PublishedWay>> = {
  'polling-500': { receivedBytes: 951, sentBytes: 703, cpuSeconds: 3.29 },
  'polling-250': { receivedBytes: 1471, sentBytes: 1195, cpuSeconds: 1.38, printedCpuSeconds: 13.8 },
  websocket: { receivedBytes: 162, sentBytes: 126, cpuSeconds: 0.68 },
};

/** Bytes of a poll, both directions, by what ten more polls of a job of 5 s were published to come to. */
export const PUBLISHED_POLL_BYTES = 101;

/** How many times what WebSocket takes was published of a way, both directions together. */
export function publishedBytesRatio(way: string): number | undefined {
  const [of, beside] = [PUBLISHED_WAYS[way], PUBLISHED_WAYS.websocket];
  return of && beside && (of.receivedBytes + of.sentBytes) / (beside.receivedBytes + beside.sentBytes);
}

/** The CPU time that was published of a way, seconds: both readings where there are two. */
export function publishedCpuText(way: string): string | undefined {
  return cpuReadings(way, (seconds) => seconds);
}

/** How many times the CPU time of WebSocket was published of a way: by both readings where there are two. */
export function publishedCpuRatioText(way: string): string | undefined {
  const beside = PUBLISHED_WAYS.websocket;
  return beside && cpuReadings(way, (seconds) => seconds / beside.cpuSeconds);
}

function cpuReadings(way: string, figure: (seconds: number) => number): string | undefined {
  const of = PUBLISHED_WAYS[way];
  if (!of) return undefined;
  const { cpuSeconds, printedCpuSeconds } = of;
  const text = (seconds: number) => numberText(figure(seconds));
  if (printedCpuSeconds === undefined) return text(cpuSeconds);
  return `${text(printedCpuSeconds)} as printed, ${text(cpuSeconds)} by its nanoseconds`;
}
