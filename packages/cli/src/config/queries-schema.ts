import type { QueriedStream, SparqlLimits } from '@ldes-live/query/http';
import { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import { integer } from './integer.ts';
import { strictMapping } from './strict-mapping.ts';

/** What the library calls the limits, and messages with them. */
const NAMES = {
  live: 'limitLiveQueries',
  subscribers: 'limitSubscribers',
  waiting: 'limitWaitingQueries',
  mal: 'limitMalMs',
  evaluation: 'limitEvaluationMs',
  loading: 'limitLoadingMs',
  rows: 'limitRows',
  quads: 'limitQuads',
  chars: 'limitQueryChars',
  textChars: 'limitTextChars',
  memoryMib: 'limitMemoryMib',
  queueBytes: 'limitQueueBytes',
  stall: 'limitStallMs',
  replayBytes: 'limitReplayBytes',
  answerBytes: 'limitAnswerBytes',
} as const satisfies Record<string, keyof SparqlLimits>;

const ENGINES = ['comunica', 'oxigraph'] as const;

/** The engine and the limits of queries, where they are not the defaults. */
export type QueriesConfig = Pick<QueriedStream, 'engine'> & Partial<SparqlLimits>;

/** Whether a stream takes queries, and what answers them within which limits: `false` where it does not. */
export function queriesSchema() {
  const expected = `true, false, or a mapping with any of engine, ${Object.keys(NAMES).join(', ')}`;
  const mapping = strictMapping(expected, {
    engine: z.literal(ENGINES, { error: ENGINES.join(' or ') }).exactOptional(),
    live: integer(1, 1000).exactOptional(),
    subscribers: integer(1).exactOptional(),
    waiting: integer(1).exactOptional(),
    mal: durationSchema({ least: '1ms', example: '2s' }).exactOptional(),
    evaluation: durationSchema({ least: '1ms', most: '1h', example: '5s' }).exactOptional(),
    loading: durationSchema({ least: '1ms', most: '1h', example: '1m' }).exactOptional(),
    rows: integer(1).exactOptional(),
    quads: integer(1).exactOptional(),
    chars: integer(1).exactOptional(),
    textChars: integer(1).exactOptional(),
    // With less a thread cannot even load what evaluates.
    memoryMib: integer(64).exactOptional(),
    queueBytes: integer(1).exactOptional(),
    stall: durationSchema({ least: '1s', example: '30s' }).exactOptional(),
    replayBytes: integer(1).exactOptional(),
    answerBytes: integer(1).exactOptional(),
  } satisfies Record<'engine' | keyof typeof NAMES, z.ZodType>).transform(({ engine, ...limits }): QueriesConfig => {
    const named = Object.entries(limits).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value]);
    return { ...(engine && { engine }), ...Object.fromEntries(named) };
  });
  const off = z.literal(false, { error: expected });
  // No union: its mistakes would not say what is wrong within the mapping.
  return z.unknown().transform((value, context): QueriesConfig | false => {
    const isMapping = typeof value === 'object' && value !== null;
    if (value === true) return {};
    const parsed = (isMapping ? mapping : off).safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}
