import type { RetentionPolicy } from '@ldes-live/rdf-stream';
import { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import { integer } from './integer.ts';
import { strictMapping } from './strict-mapping.ts';

/** What the policies call the keys of a configuration. */
const NAMES = {
  versions: 'versionAmount',
  versionsFor: 'versionMs',
  history: 'fullLogMs',
  deletes: 'versionDeleteMs',
  from: 'startingFrom',
} as const satisfies Record<string, keyof RetentionPolicy>;

/** What only says for how long versions are kept, so that it means nothing where no versions are. */
const OF_VERSIONS = ['versionsFor', 'deletes'] as const;

/** The longest that anything is kept if it is not kept for ever: a hundred years. */
const MOST = '36500d';

/** Which members a stream keeps. */
export function retentionSchema() {
  const expected = `a mapping with any of ${Object.keys(NAMES).join(', ')}`;
  return strictMapping(expected, {
    versions: integer(1).exactOptional(),
    versionsFor: durationSchema({ least: '1s', most: MOST, example: '30d' }).exactOptional(),
    history: durationSchema({ least: '1s', most: MOST, example: '7d' }).exactOptional(),
    deletes: durationSchema({ least: '0s', most: MOST, example: '1d' }).exactOptional(),
    from: instant().exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform((retention, context): RetentionPolicy => {
    if (Object.keys(retention).length === 0) context.addIssue({ code: 'custom', message: expected });
    for (const key of OF_VERSIONS) {
      if (retention[key] === undefined || retention.versions !== undefined) continue;
      const message = 'versions beside it: it says for how long those are kept';
      context.addIssue({ code: 'custom', path: [key], message });
    }
    return Object.fromEntries(
      Object.entries(retention).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value]),
    );
  });
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

function instant() {
  const expected = 'an instant with its timezone, such as 2026-01-01T00:00:00Z';
  return z.string({ error: expected }).transform((text, context) => {
    const [, day] = INSTANT.exec(text) ?? [];
    const timeMs = day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(timeMs)) return new Date(timeMs).toISOString();
    context.addIssue({ code: 'custom', message: expected, input: text });
    return z.NEVER;
  });
}

/** Whether the calendar has this day: Date takes the 30th of February for a day in March. */
function isDay(day: string): boolean {
  const timeMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(day);
}
