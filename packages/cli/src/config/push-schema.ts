import type { LiveStreamsOptions } from '@ldes-live/server';
import type { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import { integer } from './integer.ts';
import { strictMapping } from './strict-mapping.ts';

type PushOptions = NonNullable<LiveStreamsOptions['push']>;

/** What the server calls the options, and messages with them. */
const NAMES = {
  heartbeat: 'heartbeatMs',
  retry: 'retryMs',
  queueBytes: 'limitQueueBytes',
  stall: 'limitStallMs',
  frameBytes: 'limitFrameBytes',
  replayBytes: 'limitReplayBytes',
  replayMembers: 'limitReplayMembers',
  narrowing: 'limitNarrowing',
  connections: 'limitConnections',
  connectionsPerAddress: 'limitConnectionsPerAddress',
  acceptsPerSecond: 'limitAcceptsPerSecond',
  waitingAccepts: 'limitWaitingAccepts',
  age: 'limitAgeMs',
  grace: 'shutdownGraceMs',
} as const satisfies Record<string, keyof PushOptions>;

/** How push behaves, and its limits. */
export function pushSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    // Readers take a stream for dead that is silent for much longer.
    heartbeat: durationSchema({ least: '1s', most: '15s', example: '10s' }).exactOptional(),
    retry: durationSchema({ least: '100ms', most: '10m', example: '2s' }).exactOptional(),
    queueBytes: integer(1).exactOptional(),
    stall: durationSchema({ least: '1s', example: '30s' }).exactOptional(),
    frameBytes: integer(1).exactOptional(),
    replayBytes: integer(1).exactOptional(),
    replayMembers: integer(1).exactOptional(),
    narrowing: integer(1).exactOptional(),
    connections: integer(1).exactOptional(),
    connectionsPerAddress: integer(1).exactOptional(),
    acceptsPerSecond: integer(1).exactOptional(),
    waitingAccepts: integer(1).exactOptional(),
    age: durationSchema({ least: '10s', most: '20d', example: '30m' }).exactOptional(),
    grace: durationSchema({ least: '0s', most: '1h', example: '30s' }).exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform(
    (push): PushOptions =>
      Object.fromEntries(Object.entries(push).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value])),
  );
}
