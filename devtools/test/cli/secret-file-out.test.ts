import { expect, it } from 'vitest';
import { createSecretFile } from '../../src/cli/secret-file-out.js';
import { scratch } from './tool.js';

it('says what to do about a webhook whose secret could not be written', async () => {
  const file = await createSecretFile(await (await scratch())('secret.txt'));
  // Closed, it takes no more, as on a disk that is full.
  await file.discard();
  const error = await file.write('whsec-of-the-webhook', 12).catch((failure: Error) => failure);
  expect(String(error)).toMatch(
    /Webhook 12 is registered, but .* Remove it with "webhooks remove 12", then register it again\./,
  );
  expect(String(error)).not.toContain('whsec-of-the-webhook');
});
