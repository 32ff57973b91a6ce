import { readFile } from 'node:fs/promises';

/** A JSON-LD context as it would be fetched, or what keeps it from being one. */
export type ContextReading = { readonly context: object } | { readonly problem: string };

/** Reads the file of a JSON-LD context: a document with an `@context`. */
export async function readContext(file: string): Promise<ContextReading> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problem: `${file}: it cannot be read (${code ?? message})` };
  }
  if (typeof json === 'object' && json !== null && '@context' in json) return { context: json };
  return { problem: `${file}: expected a JSON document with @context` };
}
