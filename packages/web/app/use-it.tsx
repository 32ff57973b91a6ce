// The same as what is looked at, for a terminal and for a program: each line with a button that copies it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export interface Recipe {
  readonly name: string;
  readonly text: string;
}

export function UseIt({
  recipes,
  children,
}: {
  readonly recipes: readonly Recipe[];
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="panel use-it" aria-labelledby="use-it-title">
      <h2 id="use-it-title">Use it</h2>
      {children}
      {recipes.map((recipe) => (
        <Line key={recipe.name} {...recipe} />
      ))}
    </section>
  );
}

function Line({ name, text }: Recipe) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="recipe">
      <p>
        <span>{name}</span>
        <button type="button" onClick={() => void copy().catch(() => {})} aria-label={`Copy: ${name}`}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </p>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** How to follow a stream within a MAL, in seconds. */
export function followRecipes(url: string, malSeconds: number): Recipe[] {
  return [
    { name: 'Terminal', text: `npx ldes-live follow ${url} --mal ${malSeconds}` },
    {
      name: 'JavaScript',
      text: `import { createLiveClient } from '@ldes-live/client';\n\nconst client = createLiveClient({ mal: ${malSeconds} });\nfor await (const change of client.follow('${url}')) {\n  console.log(change.kind, change.member?.entity, change.lagMs);\n}`,
    },
    { name: 'curl, as it comes', text: `curl -N ${url}/events` },
    { name: 'curl, the state now', text: `curl -H 'Accept: text/turtle' ${url}/latest` },
  ];
}

export function queryRecipes(url: string, query: string): Recipe[] {
  const quoted = query.replaceAll("'", "'\\''");
  return [
    { name: 'Terminal, live', text: `npx ldes-live query ${url} '${quoted}'` },
    { name: 'curl, once', text: `curl -G ${url}/sparql -H 'Accept: text/csv' --data-urlencode 'query=${quoted}'` },
    {
      name: 'curl, live',
      text: `curl -N -G ${url}/sparql -H 'Accept: text/event-stream' --data-urlencode 'query=${quoted}'`,
    },
  ];
}
