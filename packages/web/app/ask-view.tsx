/*
 * Questions to a stream in SPARQL, answered live: the editor, three questions to begin with, the answer as a table with
 * what came and went, and as bars where a column has numbers. The URL holds the question.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { exampleQueries, withPrefixes } from './example-queries.ts';
import { dateTime, duration, number } from './format.ts';
import { iriLabel } from './labels.ts';
import { type Answer, askLive, type Binding, WAITING } from './live-query.ts';
import type { LiveStream } from './live-stream.ts';
import { replaceView } from './route.ts';
import { createEditor, type SparqlEditor } from './sparql-editor.ts';

const LIMIT_ROWS = 500;
const LIMIT_BARS = 20;

export function AskView({ stream, asked }: { readonly stream: LiveStream; readonly asked: string | undefined }) {
  const isReady = stream.firstState !== undefined;
  const examples = isReady ? exampleQueries(stream) : [];
  const [query, setQuery] = useState(asked);
  const [answer, setAnswer] = useState<Answer>(WAITING);
  const editor = useRef<SparqlEditor>(undefined);
  const host = useRef<HTMLDivElement>(null);
  void stream.changed.value;

  const ask = () => {
    const text = withPrefixes(editor.current?.text ?? '');
    if (editor.current) editor.current.text = text;
    setQuery(text);
    replaceView('ask', { query: text });
  };
  useEffect(() => {
    if (query === undefined && examples[0]) {
      setQuery(examples[0].text);
      if (editor.current) editor.current.text = examples[0].text;
    }
  }, [isReady]);
  useEffect(() => {
    const terms = () => [
      ...new Set(
        [...stream.entities.values()]
          .slice(0, 100)
          .flatMap(({ facts }) => [...facts.keys()].flatMap((path) => path.split(' '))),
      ),
    ];
    const made = createEditor(host.current as HTMLElement, {
      text: query ?? '',
      terms,
      changed: () => {},
      run: () => ask(),
    });
    editor.current = made;
    return () => made.destroy();
  }, [stream]);
  useEffect(
    () => (query ? askLive(stream.url, query, stream.malSeconds.peek(), setAnswer) : undefined),
    [query, stream],
  );

  return (
    <div class="ask-view">
      <p class="toolbar">
        {examples.map(({ name, text }) => (
          <button
            type="button"
            key={name}
            onClick={() => {
              if (editor.current) editor.current.text = text;
              ask();
            }}
          >
            {name}
          </button>
        ))}
      </p>
      <div class="editor" ref={host} />
      <p class="toolbar">
        <button type="button" class="primary" onClick={ask}>
          Ask
        </button>
        <span class="hint">Ctrl+Enter asks too. The answer is kept up to date.</span>
      </p>
      <AnswerView answer={answer} />
    </div>
  );
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { kind, rows, variables, evaluatedAtMs, evaluationMs } = answer;
  if (kind === 'waiting') return <p class="empty">The answer is on its way…</p>;
  if (kind === 'failed') return <p class="notice bad">{answer.problem}</p>;
  const told = evaluatedAtMs !== undefined && (
    <p class="hint" aria-live="off">
      As of {dateTime(evaluatedAtMs)}, evaluated in {duration(evaluationMs ?? 0)}.
    </p>
  );
  if (kind === 'boolean')
    return (
      <div>
        <p class="answer-boolean">{answer.boolean ? 'Yes' : 'No'}</p>
        {told}
      </div>
    );
  if (kind === 'quads')
    return (
      <div>
        <pre class="answer-quads" tabIndex={0}>
          {answer.quads?.slice(0, LIMIT_ROWS).join('\n')}
        </pre>
        {told}
      </div>
    );
  return (
    <div>
      <Bars answer={answer} />
      <div class="answer-frame" tabIndex={0} role="region" aria-label="Answer">
        <table>
          <thead>
            <tr>
              {variables.map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, LIMIT_ROWS).map(({ bindings, state, key }, index) => (
              <tr key={`${key} ${index}`} class={state}>
                {variables.map((name) => (
                  <td key={name} class={isNumber(bindings[name]) ? 'number' : ''} title={bindings[name]?.value}>
                    {bindingText(bindings[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        {rows.length} rows{rows.length > LIMIT_ROWS ? `, of which ${LIMIT_ROWS} are shown` : ''}.
      </p>
      {told}
    </div>
  );
}

/** The first column of numbers beside the first column of names. */
function Bars({ answer: { rows, variables } }: { readonly answer: Answer }) {
  const present = rows.filter(({ state }) => state !== 'removed').slice(0, LIMIT_BARS);
  const numeric = variables.find(
    (name) => present.length > 1 && present.every(({ bindings }) => isNumber(bindings[name])),
  );
  const named = variables.find((name) => name !== numeric);
  if (numeric === undefined || named === undefined) return null;
  const valueIn = (row: (typeof present)[number]) => Number(row.bindings[numeric]?.value);
  const most = Math.max(...present.map(valueIn), Number.MIN_VALUE);
  return (
    <ul class="bars" aria-label={`${numeric} by ${named}`}>
      {present.map((row, index) => (
        <li key={`${row.key} ${index}`}>
          <span>{bindingText(row.bindings[named])}</span>
          <span class="bar push" style={{ width: `${Math.max(0, (valueIn(row) / most) * 60)}%` }} />
          <span class="number">{number(valueIn(row))}</span>
        </li>
      ))}
    </ul>
  );
}

function isNumber(binding: Binding | undefined): boolean {
  return /#(decimal|integer|double|float|int|long)$/.test(binding?.datatype ?? '');
}

function bindingText(binding: Binding | undefined): string {
  if (!binding) return '';
  if (binding.type === 'uri') return iriLabel(binding.value);
  if (isNumber(binding)) return number(Number(Number(binding.value).toPrecision(8)));
  return /#dateTime$/.test(binding.datatype ?? '') ? dateTime(Date.parse(binding.value)) : binding.value;
}
