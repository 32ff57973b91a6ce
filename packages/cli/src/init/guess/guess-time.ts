import type { Conversion } from '@ldes-live/sources';
import { writtenTime } from './guess-written-time.ts';
import type { SampleField, Scalar } from './sample-fields.ts';

/** How a field says a time, as the name of its converter. */
export type TimeForm = 'iso' | 'local' | 'date' | 'epoch' | 'epochMs';

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** What an update is called in languages of Europe. */
const UPDATE =
  /updat|modif|mise.?[àa].?jour|actuali[sz]|aktual|(ä|ae)nderung|geändert|^stand$|wijzig|uppdat|päivit|muokat|oppdat|opdat/i;
/** What fields of times are called. */
const NAME =
  /time|date|datum|stamp|observ|measur|sampled|recorded|received|seen|report|publish|since|last|when|zeit|tijd|heure|hora|(^|_)ts$|_at$|[a-z]At$/i;
/** The years 2000 to 2100. */
const EPOCH_SECONDS = { least: 946_684_800, most: 4_102_444_800 } as const;

/** The form in which all values of a field are times; `undefined` where they are none. */
export function timeForm({ names, values }: SampleField): TimeForm | undefined {
  const all = (test: (value: Scalar) => boolean) => values.length > 0 && values.every(test);
  if (all((value) => ISO.test(String(value)))) return 'iso';
  if (all((value) => LOCAL.test(String(value)))) return 'local';
  if (all((value) => DATE.test(String(value)))) return 'date';
  const written = writtenTime(values);
  if (written) return written.form;
  if (![UPDATE, NAME].some((pattern) => pattern.test(names.at(-1) ?? ''))) return undefined;
  if (all((value) => isEpoch(value, 1))) return 'epoch';
  return all((value) => isEpoch(value, 1000)) ? 'epochMs' : undefined;
}

/** How the times of a field are converted, and what to know of that; `undefined` where it has none. */
export function timeConversion(field: SampleField): { convert: Conversion; check?: string } | undefined {
  const form = timeForm(field);
  if (form === undefined) return undefined;
  const written = writtenTime(field.values);
  if (!written) return { convert: form };
  const { format, isUnsure } = written;
  return {
    convert: { [form]: { format } },
    ...(isUnsure && { check: `CHECK: the day stands before the month in ${field.path}` }),
  };
}

function isEpoch(value: Scalar, unitsPerSecond: number): boolean {
  if (typeof value === 'boolean' || (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value))) return false;
  const seconds = Number(value) / unitsPerSecond;
  return seconds >= EPOCH_SECONDS.least && seconds <= EPOCH_SECONDS.most;
}

/** What the time of a version is called, the likeliest first. */
const OF_VERSION = [
  UPDATE,
  /observ|measur|sampled|recorded|result|report|stamp|mess|meting|mesure/i,
  /last|time|date|datum|received|seen|publish|zeit|tijd|heure|hora|(^|_)ts$|_at$|[a-z]At$/i,
];
const OF_SOMETHING_ELSE = /creat|start|begin|end|expir|open|clos|valid|static/i;

/**
 * The field that probably says of when a record is.
 *
 * @param times - fields of times, without those that say no time of day
 */
export function versionField(times: readonly SampleField[]): SampleField | undefined {
  const likely = times.filter(({ path }) => !OF_SOMETHING_ELSE.test(path));
  for (const pattern of OF_VERSION) {
    const found = likely.find(({ names }) => pattern.test(names.at(-1) ?? ''));
    if (found) return found;
  }
  return undefined;
}
