import { z } from 'zod';

/** A text for people: not only blanks, and without control characters. */
export function words(expected: string) {
  return z.string({ error: expected }).refine((text) => text.trim() !== '' && !CONTROL.test(text), expected);
}

/** Line ends are taken: YAML makes them where a text is of several paragraphs. */
const CONTROL = /[^\P{Cc}\n]/u;
