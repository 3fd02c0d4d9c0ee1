import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import express from 'express';
import { describe, it } from 'vitest';
import { expressHandler } from '../../src/adapters/express.js';
import type { LambdaEvent, LambdaResult } from '../../src/adapters/lambda.js';
import { lambdaListener } from '../matrix/lambda.js';
import type { Target } from '../matrix/targets.js';
import { matrix } from '../matrix.js';
import { frameworks, importRecipe } from './installed.js';

type Wrapped = (event: LambdaEvent, context: object) => Promise<LambdaResult>;
interface Wrappers {
  readonly wrappers: Record<string, (app: RequestListener) => Wrapped>;
}

const HOST = 'an HTTP API or a function URL';
const buffered = 'AWS takes the whole body in before it calls the function';

if (existsSync(new URL('node_modules/serverless-http', frameworks))) {
  const { wrappers } = await importRecipe<Wrappers>('testing/wrappers.ts');
  for (const [name, wrap] of Object.entries(wrappers)) {
    const target: Target = {
      name: `expressHandler on Express 5 behind ${name}`,
      role: 'handler',
      buffered,
      listener({ receiver }) {
        const wrapped = wrap(express().all('/webhooks', expressHandler(receiver)));
        return lambdaListener((event) => wrapped(event, {}), HOST, 'base64');
      },
    };
    matrix(target);
  }
} else {
  // One named skip; .ci/run installs the frameworks, so there they run.
  describe.skip('Express behind wrappers of Node requests (skipped: npm install --prefix examples/frameworks)', () => {
    it('passes the matrix', () => {});
  });
}
