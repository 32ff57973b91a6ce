import { formatCount } from '../follow/view/format-amount.ts';

/** A number with two digits that count below 10, and none behind the point above. */
export function formatFigure(value: number): string {
  return value === 0 || value >= 9.95 ? formatCount(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** Memory, in powers of 1,024. */
export function formatMemory(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 10_000 ? `${formatFigure(mebibytes)} MiB` : `${formatFigure(mebibytes / 1024)} GiB`;
}

/** A share of 1 in percent. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.0001 ? '<0.01 %' : `${formatFigure(share * 100)} %`;
}
