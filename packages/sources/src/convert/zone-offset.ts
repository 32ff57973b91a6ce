import { ConversionProblem } from './conversion-problem.ts';

/** How far the clocks of a zone are ahead of UTC at an instant (epoch milliseconds), in milliseconds. */
export type ZoneOffset = (epochMs: number) => number;

const FIXED = /^(?:UTC|Z|([+-])(\d\d):([0-5]\d))$/;
const MINUTE_MS = 60_000;
// Stations of one network report the same few minutes; asking Intl takes long.
const REMEMBERED_MINUTES = 1024;

/**
 * The clocks of a time zone.
 *
 * @param timeZone - an IANA name such as `Europe/Brussels`, or a fixed offset such as `+01:00`
 * @throws ConversionProblem - an unknown name
 * @see specs/mapping-values.md MAP-61
 */
export function zoneOffset(timeZone: string): ZoneOffset {
  const fixed = FIXED.exec(timeZone);
  if (fixed) {
    const [, sign = '+', hours = '0', minutes = '0'] = fixed;
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -MINUTE_MS : MINUTE_MS);
    return () => offsetMs;
  }
  return remembered(namedOffset(timeZone));
}

function namedOffset(timeZone: string): ZoneOffset {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new ConversionProblem(`a time zone such as Europe/Brussels was expected, not ${JSON.stringify(timeZone)}`);
  }
  return (epochMs) => {
    const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    const offsetMs = ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -offsetMs : offsetMs;
  };
}

function remembered(offset: ZoneOffset): ZoneOffset {
  const byMinute = new Map<number, number>();
  return (epochMs) => {
    const minute = Math.floor(epochMs / MINUTE_MS);
    const known = byMinute.get(minute);
    if (known !== undefined) return known;
    if (byMinute.size >= REMEMBERED_MINUTES) byMinute.clear();
    const offsetMs = offset(minute * MINUTE_MS);
    byMinute.set(minute, offsetMs);
    return offsetMs;
  };
}
