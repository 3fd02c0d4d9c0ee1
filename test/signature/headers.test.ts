import { expect, it } from 'vitest';
import { multibaasHeaders, serviceHeaders } from '../../src/signature/headers.js';

it('names the headers of the specification', () => {
  expect(serviceHeaders).toEqual({ signature: 'X-Service-Signature', timestamp: 'X-Service-Timestamp' });
});

it('names the headers of the live service', () => {
  expect(multibaasHeaders).toEqual({ signature: 'X-MultiBaas-Signature', timestamp: 'X-MultiBaas-Timestamp' });
});
