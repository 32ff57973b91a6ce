import type { Section } from '../report/report.ts';
import type { E3Results } from './e3-found.ts';
import { makingText } from './making-text.ts';
import { pageText } from './page-text.ts';
import { transportText } from './transport-text.ts';

/** What follows from the measurements that were run; nothing where nothing does. */
export function meaningSections(results: Partial<E3Results>): Section[] {
  const parts = [transportText(results), makingText(results), pageText(results.browser?.runs ?? [])];
  const text = parts.filter((sentences) => sentences.length > 0).map((sentences) => sentences.join(' '));
  return text.length > 0 ? [{ title: 'What it means', text }] : [];
}
