import { isStreamError, parseQuads } from '@ldes-live/rdf-stream';
import { type CompiledMapping, compileMapping, type DocumentFormat, parseMapping } from '@ldes-live/sources';
import { formatProblem } from '../config-problem.ts';
import type { MappingText } from './mapping-text.ts';

/** Where what a mapping makes is published. */
export interface MappingPlace {
  readonly publicUrl: string;
  readonly streamUrl: string;
  /** What the documents are written in, where the source says so; the mapping may not say otherwise. */
  readonly format?: DocumentFormat;
}

/** A mapping that works, or a line for each of its mistakes. */
export type MappingOutcome = { readonly mapping: CompiledMapping } | { readonly problems: readonly string[] };

/** Compiles a mapping; each mistake is told with file, line, column and path. */
export function compiledMapping({ value, file, locate }: MappingText, place: MappingPlace): MappingOutcome {
  try {
    const parsed = parseMapping(value);
    const { format = parsed.reads?.format, publicUrl, streamUrl } = place;
    if (format !== undefined && parsed.reads?.format !== undefined && parsed.reads.format !== format) {
      const message = `found ${parsed.reads.format}, expected ${format}, as the key of the source says, or the key left out`;
      return { problems: [told({ file, locate, path: ['reads', 'format'], message })] };
    }
    const mapping = compileMapping(format === undefined ? parsed : { ...parsed, reads: { ...parsed.reads, format } }, {
      publicUrl,
      streamUrl,
      ...(locate && { lineOf: (path: readonly PropertyKey[]) => locate(path, 'value').line }),
      toQuads: (jsonLd) => parseQuads(JSON.stringify(jsonLd), 'jsonld', streamUrl),
    });
    return { mapping };
  } catch (error) {
    if (!isStreamError(error, 'ERR_MAPPING_INVALID')) throw error;
    const mistakes = error.details.problems as readonly { path: readonly (string | number)[]; message: string }[];
    const problems = mistakes.map(({ path, message }) => told({ file, locate, path, message }));
    const last = `${problems.at(-1)} (others may show once the form is right)`;
    return { problems: error.details.more === true ? problems.with(-1, last) : problems };
  }
}

interface Mistake {
  readonly file: string;
  readonly locate: MappingText['locate'];
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function told({ file, locate, path, message }: Mistake): string {
  if (!locate) return `${file}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`;
  return formatProblem(file, { ...locate(path, 'value'), message });
}
