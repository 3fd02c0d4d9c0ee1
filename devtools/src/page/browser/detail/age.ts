import type { Attempt } from '../types.js';

/** When a request was signed, by its timestamp header, in Unix milliseconds. */
export function signedAt({ headers }: Pick<Attempt, 'headers'>, name: string): number | undefined {
  const value = headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  return value !== undefined && /^\d{1,11}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** The age of a timestamp when it was sent, in whole seconds. Arguments in Unix milliseconds. */
export function ageOf(signed: number, sent: number): string {
  const seconds = Math.floor(sent / 1000) - Math.floor(signed / 1000);
  if (seconds === 0) return 'signed in the same second';
  const away = Math.abs(seconds);
  const far = away < 120 ? `${away} s` : away < 7200 ? `${Math.round(away / 60)} min` : `${Math.round(away / 3600)} h`;
  return seconds > 0 ? `signed ${far} before it was sent` : `its timestamp is ${far} ahead`;
}
