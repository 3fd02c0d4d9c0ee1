// Packages that run an app of Express on AWS Lambda: each makes Node requests of events in its own way.
import type { RequestListener } from 'node:http';
import codegenie from '@codegenie/serverless-express';
import vendia from '@vendia/serverless-express';
import serverlessHttp from 'serverless-http';

/** A function of AWS Lambda. */
type Wrapped = (event: object, context: object) => Promise<unknown>;

/** Their declarations have a default export, which is the module itself. */
type Wrap = (options: { readonly app: RequestListener }) => Wrapped;

export const wrappers: Readonly<Record<string, (app: RequestListener) => Wrapped>> = {
  '@codegenie/serverless-express': (app) => (codegenie as unknown as Wrap)({ app }),
  '@vendia/serverless-express': (app) => (vendia as unknown as Wrap)({ app }),
  'serverless-http': (app) => serverlessHttp(app) as Wrapped,
};
