/** A length of time in its largest unit, rounded: `50 min`, `31 years`. @param ms milliseconds */
export function ageText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3600;
  if (hours < 48) return `${Math.round(hours)} h`;
  return hours < 2 * 8766 ? `${Math.round(hours / 24)} days` : `${Math.round(hours / 8766)} years`;
}
