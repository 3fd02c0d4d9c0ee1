import type { Profiler } from 'node:inspector';
import v8 from '@vitest/coverage-v8';
import type { CoverageProviderModule } from 'vitest/node';

type Taken = { readonly result: readonly Profiler.ScriptCoverage[] };

/**
 * The coverage of V8, of all files merged at once. Vitest's provider merges file after file and converts the result of
 * each tier, which takes one core longer than most tiers.
 */
export default {
  ...v8,
  /** Of what is counted: vitest.config.ts says what that is. */
  async takeCoverage(options) {
    const taken = (await v8.takeCoverage?.(options)) as Taken | undefined;
    return { result: taken?.result.filter(({ url }) => /\/src\/.*\.tsx?$/.test(url)) };
  },
  async getProvider() {
    const { V8CoverageProvider } = await import('@vitest/coverage-v8/dist/provider.js');
    return new (class extends V8CoverageProvider {
      override async readCoverageFiles<Type>({
        onFileRead,
        onFinished,
        onDebug,
      }: Parameters<typeof V8CoverageProvider.prototype.readCoverageFiles<Type>>[0]) {
        const scripts: Profiler.ScriptCoverage[] = [];
        let last: Parameters<typeof onFinished> | undefined;
        await super.readCoverageFiles<Taken>({
          onDebug,
          onFileRead: ({ result }) => {
            for (const script of result) scripts.push(script);
          },
          onFinished: async (...finished) => {
            last = finished;
          },
        });
        onFileRead({ result: scripts } as Type);
        if (last) await onFinished(...last);
      }
    })();
  },
} satisfies CoverageProviderModule;
