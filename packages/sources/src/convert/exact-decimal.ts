/** A decimal number: `units` divided by 10 to the power of `scale`. */
export interface ExactDecimal {
  readonly units: bigint;
  /** >= 0 */
  readonly scale: number;
}

/** Reads what {@link numeral} gives. */
export function exactDecimal(text: string): ExactDecimal {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** Writes a decimal in the fewest digits. */
export function exactText({ units, scale }: ExactDecimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return (units < 0n ? '-' : '') + (fraction === '' ? whole : `${whole}.${fraction}`);
}

/** The product, exactly. */
export function multiplied(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** The sum, exactly. */
export function added(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

/** The nearest decimal of at most `places` places; halves go away from zero. */
export function rounded(a: ExactDecimal, places: number): ExactDecimal {
  if (a.scale <= places) return a;
  const divisor = 10n ** BigInt(a.scale - places);
  const magnitude = a.units < 0n ? -a.units : a.units;
  const nearest = (magnitude + divisor / 2n) / divisor;
  return { units: a.units < 0n ? -nearest : nearest, scale: places };
}

function unitsAt({ units, scale }: ExactDecimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
