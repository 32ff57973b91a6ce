/** A line or bars of a few values, without axes. Whoever does not see it reads its label. */
export function Sparkline({
  values,
  label,
  isBars = false,
}: {
  values: readonly number[];
  label: string;
  isBars?: boolean;
}) {
  const top = Math.max(...values, Number.MIN_VALUE);
  const [width, height] = [120, 28];
  const step = width / Math.max(values.length - (isBars ? 0 : 1), 1);
  const y = (value: number) => height - 1 - (value / top) * (height - 3);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {isBars ? (
        values.map((value, index) => (
          <rect
            key={index}
            x={index * step + 0.5}
            width={Math.max(step - 1, 0.5)}
            y={value > 0 ? y(value) : height - 1}
            height={value > 0 ? height - y(value) : 1}
          />
        ))
      ) : (
        <polyline
          points={values.map((value, index) => `${index * step},${y(value)}`).join(' ')}
          vector-effect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
