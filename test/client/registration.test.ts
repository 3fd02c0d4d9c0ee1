import { startFakeService } from './fake-service.js';
import { describeRegistration } from './registration.cases.js';

describeRegistration('a client of the registration API', startFakeService);
