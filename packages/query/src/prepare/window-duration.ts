const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * The length of a window as RSP-QL writes it: a duration of XML Schema (`PT10S`) without years and months, which have no
 * fixed length, or a number with its unit (`10s`, `500ms`, `5m`, `1h`, `1d`).
 *
 * @returns seconds; `undefined` when it is none
 */
export function windowSeconds(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return (Number(short[1]) * 1_000 * (seconds[short[2] ?? ''] ?? Number.NaN)) / 1_000;
  const iso = text === 'P' ? null : ISO.exec(text);
  if (!iso) return undefined;
  const [days, hours, minutes, rest] = iso.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return days * 86_400 + hours * 3_600 + minutes * 60 + rest;
}
