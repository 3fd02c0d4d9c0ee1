// Packages that run an app of Express on AWS Lambda: each makes Node requests of events in its own way.
import type { RequestListener } from 'node:http';
import codegenie from '@codegenie/serverless-express';
import vendia from '@vendia/serverless-express';
import serverlessHttp from 'serverless-http';

/** A function of AWS Lambda. */
type Wrapped = (event: object, context: object) => Promise<unknown>;

export const wrappers: Readonly<Record<string, (app: RequestListener) => Wrapped>> = {
  '@codegenie/serverless-express': (app) => codegenie({ app } as never) as unknown as Wrapped,
  '@vendia/serverless-express': (app) => vendia({ app } as never) as unknown as Wrapped,
  'serverless-http': (app) => serverlessHttp(app as never) as Wrapped,
};
