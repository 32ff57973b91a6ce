/** One step of a path: into a field, to an item of a list, or to each item or value. */
export type PathStep = { readonly field: string } | { readonly item: number } | 'each';

/** Where a path begins. */
export type PathStart =
  | { readonly from: 'record' | 'root' | 'topic' }
  | { readonly from: 'above'; readonly levels: number }
  | { readonly from: 'lookup'; readonly name: string };

/** A path, read. */
export interface ParsedPath {
  readonly start: PathStart;
  readonly steps: readonly PathStep[];
  /** Whether it asks for the key of where it begins; it has no steps then. */
  readonly ofKey: boolean;
}

/** Why a text is no path. */
export class PathMistake extends Error {
  override readonly name = 'PathMistake';
}

const NAME = /@?[\p{L}\p{M}\p{N}_-]+/uy;
const BRACKET = /\[(?:(\*)|(\d{1,9})|("(?:[^"\\]|\\.)*"))\]/uy;
const VARIABLE = /\$([\p{L}\p{N}_-]+)/uy;

/**
 * Reads a path, such as `data.stations[*]`, `["@iot.id"]`, `^.$key` or `$site.name`.
 *
 * @throws PathMistake - it is none; the message says where it stops to be one
 * @see specs/mappings.md MAP-3
 */
export function parsePath(text: string): ParsedPath {
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(text) ?? undefined;
    position += match?.[0].length ?? 0;
    return match;
  };
  const mistake = (expected: string) =>
    new PathMistake(
      `"${text}" is no path: ${expected} was expected ${position < text.length ? `at character ${position + 1}` : 'at its end'}`,
    );

  const steps: PathStep[] = [];
  let start: PathStart = { from: 'record' };
  let ofKey = false;
  let first = true;
  let levels = 0;
  while (text[position] === '^') {
    position += 1;
    levels += 1;
    start = { from: 'above', levels };
    first = false;
    if (text[position] !== '.' || text[position + 1] !== '^') break;
    position += 1;
  }
  while (position < text.length) {
    const bracket = take(BRACKET);
    if (bracket) {
      steps.push(stepOf(bracket, mistake));
      first = false;
      continue;
    }
    if (text[position] === '[') throw mistake('[*], [0] or ["a name"]');
    if (!first) {
      if (text[position] !== '.') throw mistake('. or [');
      position += 1;
    }
    const variable = steps.length === 0 && !ofKey ? take(VARIABLE) : undefined;
    if (variable) {
      const name = variable[1] as string;
      if (name === 'key') ofKey = true;
      else if (!first) throw mistake('a name, or $key');
      else start = startOf(name);
      first = false;
      if (ofKey && position < text.length) throw mistake('nothing more after $key');
      continue;
    }
    const name = take(NAME);
    if (!name) throw mistake('a name (names with other characters stand in brackets: ["a name"])');
    steps.push({ field: name[0] });
    first = false;
  }
  if (first) throw mistake('a name');
  return { start, steps, ofKey };
}

function startOf(name: string): PathStart {
  if (name === 'this') return { from: 'record' };
  if (name === 'root' || name === 'topic') return { from: name };
  return { from: 'lookup', name };
}

function stepOf([, each, item, quoted]: RegExpExecArray, mistake: (expected: string) => PathMistake): PathStep {
  if (each) return 'each';
  if (item !== undefined) return { item: Number(item) };
  try {
    return { field: JSON.parse(quoted as string) as string };
  } catch {
    throw mistake('a JSON string in the brackets');
  }
}

/** Steps as a path has them, such as `a[*]["odd key"]`. */
export function stepsText(steps: readonly PathStep[]): string {
  return steps.map(stepText).join('').replace(/^\./, '');
}

function stepText(step: PathStep): string {
  if (step === 'each') return '[*]';
  if ('item' in step) return `[${step.item}]`;
  return /^@?[\p{L}\p{M}\p{N}_-]+$/u.test(step.field) ? `.${step.field}` : `[${JSON.stringify(step.field)}]`;
}
