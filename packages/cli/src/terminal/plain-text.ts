/** Text from elsewhere without what would steer a terminal: each run of control characters and spaces is one space. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}
