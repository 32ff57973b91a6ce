/** A share as whole per cent: `23 %`. */
export function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}
