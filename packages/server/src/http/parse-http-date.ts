const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';

const FORMS = [
  `${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`,
  `${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads a date of a header field, in any of the three forms that a recipient has to know.
 *
 * @param nowMs - the present, epoch milliseconds: a year of two digits is taken to be at most 50 years ahead
 * @returns epoch milliseconds; `undefined` for what is no date
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text.trim())?.groups;
    if (parts) return toEpochMs(parts, nowMs);
  }
  return undefined;
}

function toEpochMs(parts: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const { year = '', month = '' } = parts;
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number) as Clock;
  const monthIndex = MONTHS.indexOf(month);
  const fullYear = year.length === 2 ? centuryOf(Number(year), nowMs) : Number(year);
  const date = new Date(0);
  // Not by Date.UTC, which takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(fullYear, monthIndex, day);
  // A leap second has no number of its own.
  date.setUTCHours(hour, minute, Math.min(second, 59));
  const exists = date.getUTCDate() === day && date.getUTCMonth() === monthIndex;
  return exists && hour < 24 && minute < 60 && second <= 60 ? date.getTime() : undefined;
}

type Clock = [day: number, hour: number, minute: number, second: number];

function centuryOf(year: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const full = thisYear - (thisYear % 100) + year;
  return full > thisYear + 50 ? full - 100 : full;
}
