import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDurableDynamoDB } from '../../examples/servers/dynamodb.js';
import { freeze, hasServer, type TestServer } from './server.js';

const jar = new URL(
  '../../examples/serverless/node_modules/amplify-dynamodb-simulator/emulator/DynamoDBLocal.jar',
  import.meta.url,
);

/** Goes into the title of a suite that needs DynamoDB Local and the AWS SDK. */
export const hasDynamoDB = hasServer('java') && existsSync(jar);
export const needsDynamoDB = hasDynamoDB ? '' : ' (skipped: no DynamoDB Local; npm run test:tier servers installs it)';

/** DynamoDB Local answers a transaction a few milliseconds before it is on disk. */
const ON_DISK_MS = 200;

/** A DynamoDB Local that keeps its tables when it is killed. */
export async function startRestartableDynamoDB(): Promise<TestServer> {
  let server = await startDurableDynamoDB();
  return {
    url: server.url,
    port: server.port,
    async kill() {
      await sleep(ON_DISK_MS);
      await server.stop('keep');
    },
    async restart() {
      server = await startDurableDynamoDB(server);
    },
    pause: () => freeze(server.process.pid),
    resume: () => void server.process.kill('SIGCONT'),
    stop: () => server.stop(),
  };
}
