import { type Case, GROUPS, type Group, type Verdict } from '../../certify/case.js';
import type { Result } from '../../certify/run-cases.js';
import type { Colors } from '../output.js';
import { textTable } from '../text-table.js';

/** A run as a whole. */
export interface Run {
  /** Without what may be secret. */
  readonly url: string;
  readonly results: readonly Result[];
  readonly isCounting: boolean;
  readonly durationMs: number;
  readonly interrupted: boolean;
}

const ORDER: readonly Verdict[] = ['failed', 'warning', 'not-run', 'skipped', 'passed'];
const WORDS: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  warning: 'warning',
  skipped: 'skipped',
  'not-run': 'not run',
};

const adviceOf = ({ case: { risk, fix }, advice }: Result) => ({
  risk: advice?.risk ?? risk,
  fix: advice?.fix ?? fix,
});

const isBad = ({ verdict }: Result) => verdict === 'failed' || verdict === 'warning';

/** Counts of the results, by verdict. */
function countsOf(results: readonly Result[]): ReadonlyMap<Verdict, number> {
  return new Map(ORDER.map((verdict) => [verdict, results.filter((each) => each.verdict === verdict).length]));
}

export const caseJson = (result: Result) => {
  const { case: found, verdict, detail, durationMs } = result;
  const { id, group, title } = found;
  const advice = isBad(result) ? adviceOf(result) : {};
  return { case: { id, group, title, verdict, detail, ...advice, durationMs: Math.round(durationMs) } };
};

export const summaryJson = ({ url, results, isCounting, durationMs, interrupted }: Run) => ({
  summary: {
    url,
    ...Object.fromEntries(
      Array.from(countsOf(results), ([verdict, count]) => [verdict === 'not-run' ? 'notRun' : verdict, count]),
    ),
    effects: isCounting ? 'counted' : 'not counted',
    durationMs: Math.round(durationMs),
    interrupted,
  },
});

/** The table of all results, then the risk and the fix of each failure. */
export function scorecardText(run: Run, colors: Colors): string {
  const { results, isCounting, interrupted } = run;
  const paints: Readonly<Record<Verdict, (text: string) => string>> = {
    ...{ passed: colors.green, failed: colors.red, warning: colors.yellow, skipped: colors.dim, 'not-run': colors.dim },
  };
  const width = Math.max(...results.map(({ case: { id } }) => id.length));
  const row = ({ case: { id }, verdict, detail }: Result) =>
    `  ${paints[verdict](WORDS[verdict].padEnd(7))}  ${id.padEnd(width)}  ${detail}`;
  const groups = [...new Set(results.map((each) => each.case.group))].map((group) =>
    [colors.bold(GROUPS[group]), ...results.filter((each) => each.case.group === group).map(row)].join('\n'),
  );
  const findings = results.filter(isBad).map((result, at) => {
    const { case: found, verdict } = result;
    const { risk, fix } = adviceOf(result);
    return `${at + 1}. ${paints[verdict](found.id)}: ${found.title}\n   Risk: ${risk}\n   Fix:  ${fix}`;
  });
  const notes = isCounting ? [] : ['Effects were not counted: "exactly once" is judged by status only. Use --effects.'];
  if (interrupted) notes.push('Stopped before all cases were run.');
  return [...groups, ...findings, [totalsText(run, colors), ...notes].join('\n')].join('\n\n');
}

function totalsText({ url, results, durationMs }: Run, colors: Colors): string {
  const counts = Array.from(countsOf(results), ([verdict, count]) => `${count} ${WORDS[verdict].toLowerCase()}`);
  const seconds = (durationMs / 1000).toFixed(1);
  return `${colors.bold(`${results.length} cases`)} at ${url} in ${seconds} s: ${counts.filter((each) => !each.startsWith('0 ')).join(', ')}`;
}

export const listJson = ({ id, group, title }: Case) => ({ case: { id, group, title } });

/** All cases as a table. */
export function listText(cases: readonly Case[]): string {
  const titleOf = (group: Group) => GROUPS[group];
  const groups = Object.keys(GROUPS) as Group[];
  return groups
    .map((group) => {
      const rows = cases.filter((each) => each.group === group).map(({ id, title }) => [`  ${id}`, title]);
      return `${group}: ${titleOf(group)}\n${textTable(rows)}`;
    })
    .join('\n\n');
}
