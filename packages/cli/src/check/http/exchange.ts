/** One request and what came of it. */
export interface Exchange {
  readonly method: 'GET' | 'HEAD';
  /** Absolute, without fragment. */
  readonly url: string;
  /** The header fields that were sent, names in lower case. */
  readonly sent: Readonly<Record<string, string>>;
  /** 0 where there was no response. */
  readonly status: number;
  /** The header fields that came, names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  /** The content, its encoding undone. */
  readonly text: string;
  /** Length of the content as it was sent, bytes. */
  readonly bytes: number;
  /** When the request was sent, epoch milliseconds. */
  readonly sentMs: number;
  /** Why there is no response, or not all of it. */
  readonly failure?: string;
}

/** The members of a field that is a list, such as `Vary`, in lower case. */
export function listOf(field: string | undefined): string[] {
  return (field ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The instant of an HTTP-date field, epoch milliseconds; `undefined` when it is absent or no date. */
export function dateMsOf(exchange: Exchange, field: 'date' | 'expires' | 'last-modified'): number | undefined {
  const value = exchange.fields[field] ?? '';
  // Date.parse takes much that is no HTTP-date ("0" is a year): a date begins with its weekday.
  const dateMs = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
