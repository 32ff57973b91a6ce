import { saturation } from '../load/saturation.ts';
import { percentileMs } from './latency-share.ts';
import type { RequestRound } from './request-loop.ts';
import type { Between, Way } from './ways.ts';

/** How many requests one core serves a second, and whether the crossing that follows is found, once. JSON. */
export interface CrossingRun {
  readonly server: Way['server'];
  readonly between: Between;
  /** From 0. */
  readonly repeat: number;
  /** The closed loop. */
  readonly capacity?: RequestRound;
  /** How many clients asked. */
  readonly clients?: number;
  /** How long each of them waited after an answer in the closed loop, milliseconds. */
  readonly pauseMs?: number;
  /** Near the crossing; empty where that was not tried. */
  readonly rates: readonly RateCheck[];
  /** Why there is nothing more. */
  readonly failure?: string;
}

/** Clients that each asked once every so often, whether they were answered or not. */
export interface RateCheck {
  /** The period in parts of the crossing that was foretold. */
  readonly part: number;
  readonly periodMs: number;
  readonly round: RequestRound;
}

/** Share of the requests that may be unanswered at the end for a server to have kept up. */
const UNSERVED_SHARE = 0.02;

/** Requests that were served a second, on average over the time. */
export function servedPerSecond({ served, wallMicros }: RequestRound): number {
  return (served * 1e6) / wallMicros;
}

/** Formula 1: how seldom so many clients have to ask for a server to bear them, seconds. */
export function crossingSeconds(clients: number, requestsPerSecond: number): number {
  return clients / requestsPerSecond;
}

/** Whether what was asked was served, nearly all of it: what piled up around an update too. */
export function keepsUp({ round: { asked, served } }: Pick<RateCheck, 'round'>): boolean {
  return served >= asked * (1 - UNSERVED_SHARE);
}

/** Share of their time that clients may pause in the closed loop: with more of it, they are what is measured. */
const MOST_PAUSED_SHARE = 0.9;

/** Why a run counts for nothing: its load was busy with itself, too little, or not answered as it should be. */
export function refusalOf({
  capacity,
  clients = 0,
  pauseMs = 0,
  rates,
}: Pick<CrossingRun, 'capacity' | 'clients' | 'pauseMs' | 'rates'>): string | undefined {
  if (capacity && servedPerSecond(capacity) * pauseMs > MOST_PAUSED_SHARE * clients * 1000) {
    return `${clients} clients that pause for ${pauseMs} ms do not fill it`;
  }
  const rounds = [...(capacity ? [capacity] : []), ...rates.map(({ round }) => round)];
  for (const round of rounds) {
    const why = saturation({ ...round, p99Micros: percentileMs(round.responseTime, 0.99) * 1000 });
    if (why !== undefined) return why;
    if (round.failed > 0) return `${round.failed} answers were not 200`;
  }
  return undefined;
}
