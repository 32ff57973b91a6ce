import type { Spread } from '../spread.ts';
import type { MappingResult } from './measure-mapping.ts';
import type { MappingSize } from './sources-plan.ts';

/** What the mapping of a document costs, for a terminal. */
export function mappingText({ quads, mapping, toRdf, ratio }: MappingResult, { stations }: MappingSize): string[] {
  return [
    '',
    `Mapping ${stations} stations of five properties to ${quads} quads, a document, ten in a row:`,
    `  by a mapping         ${milliseconds(mapping)}`,
    `  by jsonld.toRDF      ${milliseconds(toRdf)}`,
    `  times as fast        ${ratio.median.toFixed(1)} (${ratio.min.toFixed(1)} to ${ratio.max.toFixed(1)})`,
  ];
}

function milliseconds({ median, min, max, repeats }: Spread): string {
  return `${median.toFixed(2)} ms (${min.toFixed(2)} to ${max.toFixed(2)}, ${repeats} times)`;
}
