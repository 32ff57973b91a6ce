/** Colours that a figure is drawn with: CSS colours. */
export interface FigureTheme {
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly ground: string;
  /** For one series after another, told apart by those too who do not see all colours. */
  readonly series: readonly string[];
}

/** For files and print: dark on white. */
export const LIGHT_THEME: FigureTheme = {
  ink: '#1c2024',
  muted: '#555d66',
  grid: '#dfe3e8',
  ground: '#ffffff',
  series: ['#0068a8', '#c24a00', '#007a5a', '#a3427a', '#7a6200', '#4a4ab0', '#4d5560'],
};

/** For pages in the dark. */
export const DARK_THEME: FigureTheme = {
  ink: '#e8ebee',
  muted: '#a6afb8',
  grid: '#363d45',
  ground: '#16191d',
  series: ['#62b6f0', '#ff9c52', '#43d1a2', '#ee97c4', '#e2cc4c', '#aeb0ff', '#c3cad1'],
};

/** By the custom properties of the page that a figure stands in, which {@link themeProperties} gives. */
export const PAGE_THEME: FigureTheme = {
  ink: 'var(--ink)',
  muted: 'var(--muted)',
  grid: 'var(--grid)',
  ground: 'var(--ground)',
  series: LIGHT_THEME.series.map((_, index) => `var(--series-${index})`),
};

/** Custom properties of a theme, as declarations of CSS. */
export function themeProperties({ ink, muted, grid, ground, series }: FigureTheme): string {
  const named = {
    ink,
    muted,
    grid,
    ground,
    ...Object.fromEntries(series.map((one, index) => [`series-${index}`, one])),
  };
  return Object.entries(named)
    .map(([name, colour]) => `--${name}:${colour};`)
    .join('');
}
