/** As much of a value as a message shows, characters. */
const SHOWN_CHARS = 80;

/** Any value as a message names it: short, and without fail. */
export function shownValue(value: unknown): string {
  const shown = written(value);
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}...` : shown;
}

function written(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return String(value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return 'an object';
  }
}
