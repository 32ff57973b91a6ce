import type { LiveResult } from '@ldes-live/query';
import type { AnswerTable } from './table-lines.ts';
import type { TermLabels } from './term-label.ts';

const BETWEEN = '\u0000';

/** The answer that a result makes, as a table; rows that have no order of their own are sorted by their texts. */
export function answerTable(result: LiveResult, labels: TermLabels): AnswerTable {
  switch (result.form) {
    case 'boolean':
      return { columns: ['answer'], rows: [[result.value ? 'yes' : 'no']], fresh: new Set([0]) };
    case 'quads': {
      const texts = ({ subject, predicate, object }: (typeof result)['added'][number]) =>
        [subject, predicate, object].map((term) => labels.label(term));
      const rows = sorted(result.quads().map(texts));
      return { columns: ['subject', 'predicate', 'object'], rows, fresh: freshOf(rows, result.added.map(texts)) };
    }
    case 'bindings': {
      const { variables, kind } = result;
      const texts = (row: (typeof result)['added'][number]) => variables.map((name) => labels.label(row[name]));
      const all = result.bindings().map(texts);
      const rows = kind === 'snapshot' ? all : sorted(all);
      return { columns: variables, rows, fresh: freshOf(rows, result.added.map(texts)) };
    }
  }
}

function sorted(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const collator = new Intl.Collator('en', { numeric: true });
  return [...rows].sort((left, right) => {
    for (const [index, text] of left.entries()) {
      const order = collator.compare(text, right[index] ?? '');
      if (order !== 0) return order;
    }
    return 0;
  });
}

function freshOf(rows: readonly (readonly string[])[], added: readonly (readonly string[])[]): ReadonlySet<number> {
  const came = new Set(added.map((row) => row.join(BETWEEN)));
  return new Set(rows.flatMap((row, index) => (came.has(row.join(BETWEEN)) ? [index] : [])));
}
