/*
 * Colours of entities by one of their properties: of few values each has its own, of numbers they go from one end to the
 * other, and what is a thing that states a colour itself, such as a line of a timetable, keeps that.
 *
 *   'http://.../route' -> { of(entity) -> [230, 0, 0], legend: [{ label: 'Garden Cross - Garden Gate', css: '#e60000' }] }
 */
import type { Entity } from './entity.ts';
import { number } from './format.ts';
import { isInstant, localName, numberOf, termLabel } from './labels.ts';

export type Colour = readonly [red: number, green: number, blue: number];

// Told apart also by those who see fewer colours; after Okabe and Ito, with two more.
const PALETTE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a5bc7', '#8a6d3b'];
const OTHER = '#8a8f98';
const UNFIT = /(?:bearing|heading|sequence|Id|identifier)$/i;
const LOW = [59, 130, 200] as const;
const HIGH = [214, 70, 40] as const;

/** Colours that entities state of themselves, by IRI. */
export const knownColours = new Map<string, string>();

export function learnColour(entity: Entity): void {
  for (const [path, [term]] of entity.facts) {
    if (term && /^colou?r$/i.test(localName(path)) && /^#?[\da-f]{6}$/i.test(term.value)) {
      knownColours.set(entity.iri, `#${term.value.replace('#', '').toLowerCase()}`);
    }
  }
}

export interface Colouring {
  of(entity: Entity): Colour;
  readonly legend: readonly { readonly label: string; readonly css: string }[];
}

/** Properties that entities can be told apart by: those with two values or more, of which many share one; or numbers. */
export function colourPaths(entities: readonly Entity[]): string[] {
  const values = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { facts } of entities.slice(0, 300)) {
    for (const [path, [term]] of facts) {
      if (!term || term.termType === 'BlankNode' || isInstant(term) || UNFIT.test(path)) continue;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      values.set(path, (values.get(path) ?? new Set()).add(numberOf(term) === undefined ? term.value : '#'));
    }
  }
  const isUseful = (path: string) => {
    const distinct = values.get(path)?.size ?? 0;
    const isNumeric = values.get(path)?.has('#') === true;
    const count = counts.get(path) ?? 0;
    // One colour for each says nothing.
    return isNumeric ? count > 2 : distinct > 1 && distinct <= Math.max(8, count / 4) && distinct <= count * 0.7;
  };
  const rank = (path: string) => (/^(route|line)$/i.test(localName(path)) ? 0 : values.get(path)?.has('#') ? 2 : 1);
  return [...values.keys()].filter(isUseful).sort((a, b) => rank(a) - rank(b));
}

export function colouringBy(path: string | undefined, entities: readonly Entity[], accent: Colour): Colouring {
  if (path === undefined) return { of: () => accent, legend: [] };
  const numbers = entities.flatMap(({ facts }) => numberOf(facts.get(path)?.[0]) ?? []).sort((a, b) => a - b);
  if (numbers.length > entities.length / 2) return ramp(path, numbers);
  const counts = new Map<string, number>();
  for (const { facts } of entities) {
    const value = facts.get(path)?.[0]?.value;
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
  const css = new Map(frequent.map((value, index) => [value, knownColours.get(value) ?? PALETTE[index] ?? OTHER]));
  const labelOf = (value: string) => {
    const term = entities.find(({ facts }) => facts.get(path)?.[0]?.value === value)?.facts.get(path)?.[0];
    return term ? termLabel(term) : value;
  };
  return {
    of: ({ facts }) => rgb(css.get(facts.get(path)?.[0]?.value ?? '') ?? OTHER),
    legend: frequent.slice(0, 8).map((value) => ({ label: labelOf(value), css: css.get(value) ?? OTHER })),
  };
}

// The outer twentieths do not count: one stray value would leave all others alike.
function ramp(path: string, sorted: readonly number[]): Colouring {
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number;
  const [low, high] = [at(0.05), at(0.95)];
  const colourOf = (value: number): Colour => {
    const share = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
    return [0, 1, 2].map((index) =>
      Math.round((LOW[index] as number) * (1 - share) + (HIGH[index] as number) * share),
    ) as unknown as Colour;
  };
  return {
    of: ({ facts }) => {
      const value = numberOf(facts.get(path)?.[0]);
      return value === undefined ? rgb(OTHER) : colourOf(value);
    },
    legend: [low, (low + high) / 2, high].map((value) => ({
      label: number(Number(value.toPrecision(3))),
      css: `rgb(${colourOf(value).join(' ')})`,
    })),
  };
}

/** `#0b7a75` or `rgb(11, 122, 117)` as numbers. */
export function rgb(css: string): Colour {
  const [red = 0, green = 0, blue = 0] = css.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(css.slice(at, at + 2), 16))
    : (css.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/** The colour of a series in charts. */
export function seriesColour(index: number): string {
  return PALETTE[index % PALETTE.length] as string;
}
