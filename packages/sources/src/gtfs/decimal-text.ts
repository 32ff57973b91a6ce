const SMALLEST_NORMAL_FLOAT = 2 ** -126;

/**
 * Prints a number as an xsd:decimal: the shortest decimal that reads back as the same number, never in
 * exponent notation.
 *
 * @param precision - whether it reads back as the same 32-bit or 64-bit float
 * @returns `undefined` for what no decimal says: infinities and not-a-number
 * @see specs/gtfs-realtime.md GTFS-20
 */
export function decimalText(value: number, precision: 'float' | 'double'): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  return withoutExponent(String(precision === 'float' ? shortestFloat(value) : value));
}

/** The number of fewest digits that rounds to a 32-bit float. */
function shortestFloat(value: number): number {
  // Six digits survive the way to a normal float and back, so fewer are found by dropping zeros; nine always suffice.
  const least = Math.abs(value) < SMALLEST_NORMAL_FLOAT ? 1 : 6;
  for (let digits = least; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === Math.fround(value)) return candidate;
  }
  return Number(value.toPrecision(9));
}

function withoutExponent(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
