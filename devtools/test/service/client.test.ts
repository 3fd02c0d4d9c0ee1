import { describeRegistration } from '../../../test/client/registration.cases.js';
import { createLocalService } from '../../src/service/index.js';

for (const secretInRecords of [false, true]) {
  const kept = secretInRecords ? 'which gives secrets in records' : 'which gives a secret once';
  describeRegistration(`a client of the local service, ${kept}`, async () => {
    const service = await createLocalService({ secretInRecords });
    return { baseUrl: service.url, apiKey: service.apiKeys[0] as string, close: () => service.close() };
  });
}
