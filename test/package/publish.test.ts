import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from './consumer.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const directory = join(projectRoot, '.github/workflows');
const texts = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')] as const);

describe.each(texts)('the workflow %s', (_, text) => {
  const workflow: Workflow = parse(text);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('pins every action by its commit, with the version beside it', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('puts no expression into a script, where its value would be run', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  it('gives no permission but to the jobs that need it, and each of them an end', () => {
    expect(workflow.permissions).toEqual({});
    for (const job of jobs) {
      expect(job.permissions).toBeDefined();
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });

  it('leaves no credentials where the code of the project finds them, and takes nothing from a cache', () => {
    for (const step of steps) {
      if (step.uses?.startsWith('actions/checkout@')) expect(step.with).toMatchObject({ 'persist-credentials': false });
      if (step.uses?.startsWith('actions/setup-node@')) {
        expect(step.with).toMatchObject({ 'package-manager-cache': false });
        expect(step.with).not.toHaveProperty('cache');
      }
    }
    expect(text).not.toMatch(/secrets\./);
  });
});

describe('publish.yml', () => {
  const workflow: Workflow = parse(readFileSync(join(directory, 'publish.yml'), 'utf8'));
  const { build, publish } = workflow.jobs as { build: Job; publish: Job };
  const scripts = (job: Job) => job.steps.map(({ run }) => run ?? '').filter(Boolean);

  it('runs the code of the project in a job that can only read', () => {
    expect(build.permissions).toEqual({ contents: 'read' });
    expect(build.environment).toBeUndefined();
    expect(scripts(build)).toContain('.ci/run');
  });

  it('publishes in the protected environment what the first job built, and runs nothing of the project there', () => {
    expect(publish).toMatchObject({ needs: 'build', environment: 'npm', permissions: { 'id-token': 'write' } });
    expect(Object.keys(publish.permissions ?? {})).toEqual(['id-token']);
    expect(publish.steps.map(({ uses = '' }) => uses.split('@')[0]).filter(Boolean)).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
    ]);
    const [check, ...others] = scripts(publish);
    expect(check).toContain('sha512sum --check --strict');
    // In this order: the second depends on the first.
    const publishing = (name: string) =>
      `npm publish ./packed/${name}-*.tgz --ignore-scripts --provenance --access public`;
    expect(others).toEqual([publishing('event-webhook-receiver'), publishing('event-webhooks')]);
  });
});

it('dependabot.yml looks after the actions and every directory that has packages', () => {
  const { updates } = parse(readFileSync(join(projectRoot, '.github/dependabot.yml'), 'utf8'));
  const [actions, npm] = updates;
  expect([actions['package-ecosystem'], npm['package-ecosystem'], updates.length]).toEqual([
    'github-actions',
    'npm',
    2,
  ]);
  const patterns: readonly string[] = npm.directories;
  const covered = (path: string) =>
    patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '[^/]+')}$`).test(path));
  const found = directoriesWithPackages();
  expect(found).toEqual(expect.arrayContaining(['/', '/examples/servers', '/test/bundlers']));
  expect(found.filter((path) => !covered(path))).toEqual([]);
});

/** Directories of the repository whose package.json names packages. */
function directoriesWithPackages(): string[] {
  const tracked = execFileSync('git', ['ls-files', 'package.json', '*/package.json'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  return tracked
    .trim()
    .split('\n')
    .filter((path) => /"(devD|d)ependencies"/.test(readFileSync(join(projectRoot, path), 'utf8')))
    .map((path) => `/${dirname(path)}`.replace(/^\/\.$/, '/'));
}
