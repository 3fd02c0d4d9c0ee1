import { existsSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { describe, it } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import type { LambdaEvent, LambdaResult } from '../../src/adapters/lambda.js';
import { lambdaListener } from '../matrix/lambda.js';
import { EXPRESS_VERSIONS, type Target } from '../matrix/targets.js';
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
    for (const [version, express] of EXPRESS_VERSIONS) {
      const behind = (app: RequestListener) => {
        const wrapped = wrap(app);
        return lambdaListener((event) => wrapped(event, {}), HOST, version === 'Express 5' ? 'base64' : 'text');
      };
      const targets: Target[] = [
        {
          name: `expressHandler on ${version} behind ${name}`,
          role: 'handler',
          buffered,
          listener: ({ receiver }) => behind(express().all('/webhooks', expressHandler(receiver))),
        },
        {
          name: `expressVerifier on ${version} behind ${name}`,
          role: 'verifier',
          buffered,
          listener: ({ options, verified }) =>
            behind(
              express().all('/webhooks', expressVerifier(options), (request, response) => {
                verified(request.webhook?.items ?? []);
                response.status(200).end();
              }),
            ),
        },
      ];
      // A verifier presents a request as a handler does.
      for (const target of version === 'Express 5' ? targets : targets.slice(0, 1)) matrix(target);
    }
  }
} else {
  // One named skip; .ci/run installs the frameworks, so there they run.
  describe.skip('Express behind wrappers of Node requests (skipped: npm install --prefix examples/frameworks)', () => {
    it('passes the matrix', () => {});
  });
}
